import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordOf } from "../../cli/probe/record";
import { type ProfileChoice, switches } from "../../emulator";
import { type Given, probedWith, subject } from "./probed";

const TOKEN = "probe-token-of-a-test";

/** As JSON writes it. */
async function recorded(given: Given = {}): Promise<Record<string, unknown>> {
  const probed = await probedWith({ token: TOKEN, ...given });
  return JSON.parse(JSON.stringify(recordOf(probed, subject)));
}

/** The values of these fields, at any depth. */
const valuesOf = (value: unknown, names: readonly string[]): unknown[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, item]) => [...(names.includes(key) ? [item] : []), ...valuesOf(item, names)])
    : [];

describe("the record of probe", () => {
  it("has no token and no platform", async () => {
    const text = JSON.stringify(await recorded());
    for (const secret of [TOKEN, "Bearer", "127.0.0.1"]) {
      assert.equal(text.includes(secret), false, `the record holds ${secret}`);
    }
  });

  it("withholds every text that the request didn't send", async () => {
    const hook = { inbound_webhook_url: "https://hooks.example/key", more: { "a b": ["Ada", 7, "agent_front"] } };
    const { steps } = await recorded({ faults: [{ kind: "contradict", record: hook, times: "always" }] });
    const found = (...names: string[]) => [...new Set(valuesOf(steps, names).map((one) => JSON.stringify(one)))];
    assert.deepEqual(found("account_sid", "phone_number_sid", "inbound_webhook_url", "message"), ['"(withheld)"']);
    assert.deepEqual(found("more"), ['{"(withheld)":["(withheld)",7,"agent_front"]}']);
  });

  it("says that not everything was asked", async () => {
    const { isWhole, steps } = await recorded({ faults: [{ kind: "status", status: 401, times: "always" }] });
    assert.equal(isWhole, false);
    assert.deepEqual(steps, []);
  });

  it("of the emulator's own default is the one in testdata", async () => {
    const { node: _, package: __, ...record } = await recorded();
    const file = join(__dirname, "testdata/probe/record.json");
    if (process.env.UPDATE_GOLDENS !== undefined) {
      writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
    }
    assert.deepEqual(record, JSON.parse(readFileSync(file, "utf8")));
  });

  /** What a probe doesn't ask, and a platform on which no record is whole. */
  const unasked = /^(rateLimit|retryAfter|postResponse|endChat|endedChat)=|success=false/;
  const profiles = switches
    .flatMap(({ name, values }) => values.map((value): ProfileChoice => ({ [name]: value })))
    .map((profile) => ({ profile, title: Object.entries(profile).join().replace(",", "=") }));
  for (const { profile, title } of profiles.filter((one) => !unasked.test(one.title))) {
    it(`makes an emulator that is recorded alike: ${title}`, async () => {
      const first = await recorded({ profile });
      const second = await recorded({ profile: first.profile as ProfileChoice });
      assert.deepEqual(second, first);
    });
  }
});
