import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "mocha";
import { readSettings } from "../../provider/core/readSettings";
import { declaredBy } from "../../provider/edge/declared/declared";
import { many } from "./groupSupport";

const read = readSettings({
  get: (key) => ({ baseUrl: "https://one.example" })[key],
  env: {},
  readApproved: () => "",
});
assert.ok("settings" in read);
const { settings } = read;
const silent = async () => undefined;

/** Milliseconds of this process's own work: those in which the machine does something else count for nothing. */
function timed<T>(work: () => T): [T, number] {
  const begun = process.cpuUsage();
  const done = work();
  const { user, system } = process.cpuUsage(begun);
  return [done, (user + system) / 1000];
}

describe("the cost of knowing what is declared", () => {
  it("of 2,500 numbers that leave a group of 50,000 is no more than that of declaring them", () => {
    const run = `127.0.0.1:${randomUUID()}`;
    const [, declaring] = timed(() => declaredBy(settings, run, silent).declareAll(many(50_000)));
    const other = declaredBy(settings, run, silent);
    const leaving = many(2500, 100_000);
    const [found, asking] = timed(() => leaving.filter(other.whereIs));
    assert.deepEqual(found, []);
    assert.ok(asking < 5 * declaring + 100, `${Math.round(asking)} ms to ask, ${Math.round(declaring)} ms to declare`);
  });

  it("of declaring again what is declared is next to nothing", () => {
    const declared = declaredBy(settings, `127.0.0.1:${randomUUID()}`, silent);
    const numbers = many(50_000);
    const [, first] = timed(() => declared.declareAll(numbers));
    const [, second] = timed(() => declared.declareAll(numbers));
    assert.ok(second < first / 2 + 20, `${Math.round(second)} ms again, ${Math.round(first)} ms at first`);
  });

  it("sees what another process of the run declares after the first question", () => {
    const run = `127.0.0.1:${randomUUID()}`;
    const [one, other] = [declaredBy(settings, run, silent), declaredBy(settings, run, silent)];
    assert.ok(!one.whereIs("+15551230001"));
    other.declareAll(["+15551230001"]);
    assert.ok(one.whereIs("+15551230001") && !one.whereIs("+15551230002"));
    other.declareAll(["+15551230002"]);
    assert.ok(one.whereIs("+15551230002"));
  });
});
