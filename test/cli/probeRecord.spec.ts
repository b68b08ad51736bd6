import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordOf } from "../../cli/probe/record";
import { type ProfileChoice, switches } from "../../emulator";
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

describe("the record of probe", () => {
  it("contains neither the token nor the platform's address", async () => {
    const text = JSON.stringify(await recorded());
    for (const secret of [TOKEN, "Bearer", "127.0.0.1"]) {
      assert.equal(text.includes(secret), false, `the record holds ${secret}`);
    }
  });

  it("omits any text in a response that the request didn't contain", async () => {
    const hook = { inbound_webhook_url: "https://hooks.example/key", more: { "a b": ["Ada", 7, "agent_front"] } };
    const { steps } = await recorded({ faults: [{ kind: "contradict", record: hook, times: "always" }] });
    const found = (...names: string[]) => [...new Set(valuesOf(steps, names).map((value) => JSON.stringify(value)))];
    assert.deepEqual(found("account_sid", "phone_number_sid", "inbound_webhook_url", "message"), ['"(withheld)"']);
    assert.deepEqual(found("more"), ['{"(withheld)":["(withheld)",7,"agent_front"]}']);
  });

  it("omits the platform's reason for a rejection, which may name an account or a person", async () => {
    const body = { error: "account AC999 of Ada Lovelace is suspended" };
    const { steps } = await recorded({ faults: [{ kind: "status", status: 422, body, after: 3 }] });
    assert.equal(valuesOf(steps, ["status"]).filter((status) => status === 422).length, 1);
    assert.equal(JSON.stringify(steps).includes("Ada Lovelace"), false, "the record quotes the platform's reason");
  });

  it("marks the record as incomplete if questions were not answered", async () => {
    const { isWhole, steps } = await recorded({ faults: [{ kind: "status", status: 401, times: "always" }] });
    assert.equal(isWhole, false);
    assert.deepEqual(steps, []);
  });

  it("matches record.json for the emulator's default profile", async () => {
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
  for (const { profile, title } of profiles.filter(({ title }) => !unasked.test(title))) {
    it(`makes the emulator imitate a platform whose ${title}`, async () => {
      const first = await recorded({ profile });
      const second = await recorded({ profile: first.profile as ProfileChoice });
      assert.deepEqual(second, first);
    });
  }
});
