import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordOf } from "../../cli/probe/record";
import { type ProfileChoice, switches } from "../../emulator";
import { checkRows } from "../support/rows";
import { type Given, probedWith, subject } from "./probed";

const TOKEN = "probe-token-of-a-test";

/** The record as printed, that is, without undefined values. */
async function recorded(given: Given = {}): Promise<Record<string, unknown>> {
  const probed = await probedWith({ token: TOKEN, ...given });
  return JSON.parse(JSON.stringify(recordOf(probed, subject)));
}

/** The values of these fields at any depth. */
const valuesOf = (value: unknown, names: readonly string[]): unknown[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, item]) => [...(names.includes(key) ? [item] : []), ...valuesOf(item, names)])
    : [];

describe("a probe record", () => {
  it("omits the token and the platform's address", async () => {
    const text = JSON.stringify(await recorded());
    for (const secret of [TOKEN, "Bearer", "127.0.0.1"]) {
      assert.equal(text.includes(secret), false, `the record holds ${secret}`);
    }
  });

  it("redacts response text that was not in the request", async () => {
    const hook = { inbound_webhook_url: "https://hooks.example/key", more: { "a b": ["Ada", 7, "agent_front"] } };
    const { steps } = await recorded({ faults: [{ kind: "contradict", record: hook, times: "always" }] });
    const found = (...names: string[]) => [...new Set(valuesOf(steps, names).map((value) => JSON.stringify(value)))];
    assert.deepEqual(found("account_sid", "phone_number_sid", "inbound_webhook_url", "message"), ['"(withheld)"']);
    assert.deepEqual(found("more"), ['{"(withheld)":["(withheld)",7,"agent_front"]}']);
  });

  it("omits the error text of a rejected request", async () => {
    const body = { error: "account AC999 of Ada Lovelace is suspended" };
    const { steps } = await recorded({ faults: [{ kind: "status", status: 422, body, after: 3 }] });
    assert.equal(valuesOf(steps, ["status"]).filter((status) => status === 422).length, 1);
    assert.equal(JSON.stringify(steps).includes("Ada Lovelace"), false, "the record quotes the platform's reason");
  });

  it("marks the record as incomplete if the token is rejected", async () => {
    const { isWhole, steps } = await recorded({ faults: [{ kind: "status", status: 401, times: "always" }] });
    assert.equal(isWhole, false);
    assert.deepEqual(steps, []);
  });

  it("matches the golden file for the default emulator", async () => {
    const { node: _, package: __, ...record } = await recorded();
    const file = join(__dirname, "testdata/probe/record.json");
    if (process.env.UPDATE_GOLDENS !== undefined) {
      writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
    }
    assert.deepEqual(record, JSON.parse(readFileSync(file, "utf8")));
  });

  /** Switches that a probe doesn't ask about, and a platform that accepts nothing. */
  const unasked = /^(rateLimit|retryAfter|postResponse|endChat|endedChat) |success is false/;
  const profiles = switches
    .flatMap(({ name, values }) => values.map((value): ProfileChoice => ({ [name]: value })))
    .map((profile) => ({ profile, title: Object.entries(profile).join().replace(",", " is ") }));
  const asked = profiles.filter(({ title }) => !unasked.test(title));

  it("makes the emulator behave like the recorded platform", () =>
    checkRows(
      asked,
      ({ title }) => title,
      async ({ profile }) => {
        const first = await recorded({ profile });
        const second = await recorded({ profile: first.profile as ProfileChoice });
        assert.deepEqual(second, first);
      },
    ));
});
