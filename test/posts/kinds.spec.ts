import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { OPERATIONS } from "../../provider/api/operations";
import { URN } from "../../provider/base/engine";
import { POSTED_KINDS, postedAs } from "../../provider/config/kinds";
import { CONTEXT_FIELDS } from "../../provider/config/settings";
import type { Lifecycle } from "../../provider/run/resource";
import { ResourceError, render, SavedError } from "../../provider/words/message";
import { need } from "../../tools/reference/declarations";
import { emulatorForEach } from "../api/support";
import { camel, fieldsIn, interfaceSection, sectionOf } from "../docs/blocks";
import { LIFECYCLES } from "../support/lifecycles";
import { CONTEXT, IN_DOUBT, POSTED_ARGS } from "../support/posts";
import { kindOf, urnOf } from "../support/providerCalls";
import { rejectionAs, rejectionOf } from "../support/rejected";
import { newRun } from "../support/session";

/** What holds for whatever is posted: each kind is asked, also one that is new. */

for (const kind of POSTED_KINDS) {
  describe(`a ${kind}`, () => {
    const start = emulatorForEach();
    const row = postedAs(kind);
    const inputs: Readonly<Record<string, unknown>> = { ...POSTED_ARGS[kind], [URN]: urnOf(kindOf(kind), "one") };
    const inDoubt = IN_DOUBT[kind];
    const lifecycle = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;

    async function started() {
      const emulator = await start();
      return { emulator, run: newRun(emulator.url, emulator.token, CONTEXT) };
    }

    it("is sent as the interface specifies", async () => {
      const { emulator, run } = await started();
      const { state } = await lifecycle.create(inputs, run);
      const [{ operation, body } = assert.fail()] = emulator.requests;
      const section = sectionOf(OPERATIONS[operation as keyof typeof OPERATIONS].name) ?? assert.fail();
      const sent = fieldsIn(section);
      assert.deepEqual(Object.keys(body as object).sort(), [...sent].sort());
      const [made] = emulator[`${row.noun as "voice" | "chat"}s`];
      for (const name of sent.map(camel)) {
        assert.deepEqual(made?.[name], inputs[name], `the platform has ${name}`);
      }
      const [response = ""] = /2\.\d/.exec(interfaceSection(section)) ?? [];
      // A voice's context is no output.
      const known = [URN, ...CONTEXT_FIELDS, ...need(kind).members.map(({ name }) => name)];
      const others = [...Object.keys(state), ...fieldsIn(response).map(camel)].filter((name) => !known.includes(name));
      assert.deepEqual(others, []);
    });

    it("needs only its required arguments", async () => {
      const { emulator, run } = await started();
      await lifecycle.create(inputs, run);
      const { path = "", body = {} } = emulator.requests[0] ?? {};
      const headers = { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" };
      const required = need(`${kind}Args`).members.flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
      for (const name of Object.keys(body as object)) {
        const less = JSON.stringify({ ...(body as object), [name]: undefined });
        const { ok } = await fetch(`${emulator.url}${path}`, { method: "POST", headers, body: less });
        // The settings may have the workspace.
        assert.equal(ok, name !== "workspaceId" && !required.includes(camel(name)), name);
      }
      const without = Object.fromEntries(required.map((name) => [name, null]));
      const { failures } = lifecycle.check(undefined, { ...inputs, ...without, workspaceId: null }, run.settings);
      assert.deepEqual(
        failures.map(render),
        required.map((name) => `AGP-001 ${name} must be given.`),
      );
    });

    it("is not saved if it is refused, and may be sent again", async () => {
      const { emulator, run } = await started();
      emulator.inject({ kind: "status", status: 403, body: { error: "another account" } });
      const refused = await rejectionAs(ResourceError, lifecycle.create(inputs, run));
      assert.equal(Reflect.get(refused, "state"), undefined, "nothing is saved");
      assert.match(refused.message, /^AGP-032 .* create rejected: .*\n.*\n {2}Nothing is saved\.\n/);
      await lifecycle.create(inputs, run);
    });

    it("is described so that people can find it if its outcome is unknown", async () => {
      const { emulator, run } = await started();
      emulator.inject({ kind: "reset" });
      const unknown = await rejectionAs(SavedError, lifecycle.create(inputs, run));
      assert.ok(unknown.message.startsWith("AGP-041 ") && unknown.message.includes(inDoubt), unknown.message);
    });

    it("is sent once if its outcome is unknown, whatever an error hook asks for", async () => {
      const { emulator, run } = await started();
      emulator.inject({ kind: "reset" });
      const first = await rejectionAs(SavedError, lifecycle.create(inputs, run));
      assert.equal(await rejectionOf(lifecycle.create(inputs, run)), first);
      assert.equal(await rejectionOf(lifecycle.update(first.id, first.state, inputs, run)), first);
      assert.equal(emulator.requests.length, 1);
    });

    it("is not sent again by a later run if its outcome is unknown", async () => {
      const { emulator, run } = await started();
      emulator.inject({ kind: "reset" });
      const first = await rejectionAs(SavedError, lifecycle.create(inputs, run));
      const later = newRun(emulator.url, emulator.token, CONTEXT);
      assert.deepEqual(await lifecycle.update(first.id, first.state, inputs, later), first.state);
      assert.equal(emulator.requests.length, 1);
    });

    it("is not read from a state without the values that identify it", () => {
      for (const field of [row.foundBy, "endpoint"]) {
        const saved = { ...inputs, endpoint: "https://platform.example", [field]: "" };
        assert.throws(() => lifecycle.readState(saved, "id"), { code: "AGP-080" });
      }
    });

    it(row.ends ? "is ended by its delete" : "stays when its resource goes", async () => {
      const { emulator, run } = await started();
      const { id, state } = await lifecycle.create(inputs, run);
      await lifecycle.delete(id, lifecycle.readState({ ...state }, id), run);
      const sent = emulator.requests.slice(1).map(({ operation }) => operation);
      assert.deepEqual(sent, row.ends ? ["endChat"] : []);
    });

    if (!row.ends) {
      return;
    }

    it("has an ID that is valid in a path", async () => {
      const { emulator, run } = await started();
      const id = "..";
      emulator.inject({ kind: "contradict", patch: { [row.idName]: id } });
      await rejectionAs(SavedError, lifecycle.create(inputs, run));
      const { failures } = lifecycle.check(undefined, { ...inputs, adopt: id }, run.settings);
      assert.deepEqual(failures.map(render), ["AGP-001 adopt must not be `.` or `..`."]);
    });
  });
}
