import assert from "node:assert/strict";
import type { dynamic } from "@pulumi/pulumi";
import { describe, it } from "mocha";
import { KINDS, POSTED_KINDS, postedAs } from "../../provider/core/platform/kinds";
import * as handlers from "../../provider/handlers";
import * as exported from "../../provider/index";
import { type Lifecycle, ResourceError, SavedError } from "../../provider/resources/lifecycle";
import { LIFECYCLES } from "../../provider/resources/lifecycles";
import { emulatorForEach } from "../client/support";
import { rejectionOf } from "../support/rejected";
import { newRun } from "../support/session";
import { POSTED_INPUTS } from "./inputs";

describe("a kind of resource", () => {
  it("is exported with its handler: every saved state loads the handler by this name", () => {
    const names = KINDS.map((kind) => `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`);
    assert.deepEqual(Object.keys(handlers).sort(), [...names].sort());
    assert.deepEqual(Object.keys(LIFECYCLES).sort(), [...KINDS].sort());
    assert.deepEqual(
      KINDS.filter((kind) => !Object.keys(exported).includes(kind)),
      [],
    );
  });

  for (const kind of KINDS) {
    it(`is checked by the handler with its name: ${kind}`, async () => {
      const handler = Object.entries(handlers).find(([name]) => name.toLowerCase() === kind.toLowerCase())?.[1];
      const get = (key: string) => ({ "agent-platform:baseUrl": "https://platform.example" })[key];
      await handler?.configure?.({ config: { get, require: get } as dynamic.Config });
      const { failures } = (await handler?.check?.({}, {})) ?? {};
      assert.match(failures?.[0]?.reason ?? "", new RegExp(`^AGP-\\d+ ${kind}: `));
    });
  }
});

/** What holds for whatever is posted: each kind is asked, also one that is new. */

for (const kind of POSTED_KINDS) {
  describe(`a ${kind}`, () => {
    const start = emulatorForEach();
    const row = postedAs(kind);
    const inputs = POSTED_INPUTS[kind];
    const lifecycle = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;

    async function started() {
      const emulator = await start();
      return { emulator, run: newRun(emulator.url, emulator.token) };
    }

    it("needs every field that is sent without an option", async () => {
      const { emulator, run } = await started();
      await lifecycle.create(inputs, run);
      const { path = "", body = {} } = emulator.requests[0] ?? {};
      const headers = { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" };
      const names = Object.keys(body as object);
      assert.ok(names.length > 1);
      for (const name of names) {
        const less = JSON.stringify({ ...(body as object), [name]: undefined });
        const { status } = await fetch(`${emulator.url}${path}`, { method: "POST", headers, body: less });
        assert.equal(status, 400, name);
      }
    });

    it("that is refused was not made, and nothing is saved", async () => {
      const { emulator, run } = await started();
      emulator.inject({ kind: "status", status: 403, body: { error: "another account" } });
      const refused = await rejectionOf(lifecycle.create(inputs, run));
      assert.ok(refused instanceof ResourceError && !("state" in refused));
      assert.match(refused.message, /^AGP-032 .* create rejected: .*\n.*\n {2}Nothing is saved\.\n/);
    });

    it("is not read from a state that lacks what it is found by, or its endpoint", () => {
      for (const field of [row.foundBy, "endpoint"]) {
        const saved = { ...inputs, endpoint: "https://platform.example", [field]: "" };
        assert.throws(() => lifecycle.readState(saved, "id"), { code: "AGP-080" });
      }
    });

    if (!row.ends) {
      return;
    }

    it("has an id that the path of its end can name: another one is neither taken nor adopted", async () => {
      const { emulator, run } = await started();
      const id = "..";
      emulator.inject({ kind: "contradict", patch: { id, [row.idName]: id } });
      assert.ok((await rejectionOf(lifecycle.create(inputs, run))) instanceof SavedError);
      const { failures } = lifecycle.check(undefined, { ...inputs, adopt: id }, run.settings);
      assert.deepEqual(
        failures.map(({ code }) => code),
        ["AGP-001"],
      );
    });

    it("that the platform does not know counts as ended", async () => {
      const { emulator, run } = await started();
      // A run does not end what it has posted itself.
      const next = newRun(emulator.url, emulator.token);
      const { id, state } = await lifecycle.create(lifecycle.check(undefined, { ...inputs }, run.settings).inputs, run);
      emulator.inject({ kind: "status", status: 404 });
      await lifecycle.delete(id, state, next);
      assert.deepEqual(
        next.warnings.map((text) => text.slice(0, 7)),
        ["AGP-062"],
      );
    });
  });
}
