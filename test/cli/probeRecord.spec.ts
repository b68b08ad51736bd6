import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordOf } from "../../cli/probe/record";
import { type ProfileChoice, switches } from "../../emulator";
import { checkRows } from "../support/rows";
import { type ProbeOptions, probedWith, subject } from "./probed";

const TOKEN = "probe-token-of-a-test";

/** Returns the record as `probe --json` prints it, without undefined values. */
async function recorded(options: ProbeOptions = {}): Promise<Record<string, unknown>> {
  const probed = await probedWith({ token: TOKEN, ...options });
  return JSON.parse(JSON.stringify(recordOf(probed, subject)));
}

/** Returns the values of all fields with these names, at any depth. */
const valuesOf = (value: unknown, names: readonly string[]): unknown[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, item]) => [...(names.includes(key) ? [item] : []), ...valuesOf(item, names)])
    : [];

describe("a probe record", () => {
  it("omits the token and the platform's address", async () => {
    const text = JSON.stringify(await recorded());
    for (const secret of [TOKEN, "Bearer", "127.0.0.1"]) {
      assert.equal(text.includes(secret), false, `the record contains ${secret}`);
    }
  });

  it("redacts response text that was not in the request", async () => {
    const hook = { inbound_webhook_url: "https://hooks.example/key", more: { "a b": ["Ada", 7, "agent_front"] } };
    const { steps } = await recorded({ faults: [{ kind: "contradict", record: hook, times: "always" }] });
    const distinctValues = (...names: string[]) => [
      ...new Set(valuesOf(steps, names).map((value) => JSON.stringify(value))),
    ];
    assert.deepEqual(distinctValues("account_sid", "phone_number_sid", "inbound_webhook_url", "message"), [
      '"(withheld)"',
    ]);
    assert.deepEqual(distinctValues("more"), ['{"(withheld)":["(withheld)",7,"agent_front"]}']);
  });

  it("omits the error text of a rejected request", async () => {
    const body = { error: "account AC999 of Ada Lovelace is suspended" };
    const { steps } = await recorded({ faults: [{ kind: "status", status: 422, body, after: 3 }] });
    assert.equal(valuesOf(steps, ["status"]).filter((status) => status === 422).length, 1);
    assert.equal(
      JSON.stringify(steps).includes("Ada Lovelace"),
      false,
      "the record contains the platform's error message",
    );
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

  /**
   * Excludes switches that a probe can't determine. Also excludes a platform that rejects every request, because the
   * probe would stop early.
   */
  const excluded = /^(rateLimit|retryAfter|outboundAgents|postResponse|endChat|endedChat) |success is false/;
  const profiles = switches
    .flatMap(({ name, values }) => values.map((value) => ({ name, value })))
    .map(({ name, value }) => ({
      // `notClearing` has no effect if every value clears a field, which is the default.
      profile: { ...(name === "notClearing" && { clearOthers: "empty" }), [name]: value } as ProfileChoice,
      title: `${name} is ${value}`,
    }));
  const recordable = profiles.filter(({ title }) => !excluded.test(title));

  it("makes the emulator behave like the recorded platform", () =>
    checkRows(
      recordable,
      ({ title }) => title,
      async ({ profile }) => {
        const first = await recorded({ profile });
        const second = await recorded({ profile: first.profile as ProfileChoice });
        assert.deepEqual(second, first);
      },
    ));
});
