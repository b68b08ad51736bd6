import assert from "node:assert/strict";
import type { Fault } from "../../emulator";
import { checkRows } from "../support/rows";
import { assertNoAgents, NUMBER, probedWith } from "./probed";

/** Tests whether an interrupted or failed probe unassigns the number's agents. */

describe("an interrupted probe", () => {
  it("unassigns all agents on Ctrl-C during any of the first eight requests", () =>
    checkRows(
      [1, 2, 3, 4, 5, 6, 7, 8],
      (request) => `request ${request}`,
      async (request) => {
        const { stopped, end, emulator, steps } = await probedWith({}, (platform, stop) => {
          const handle = platform.inject({ kind: "hold", after: request - 1 });
          void platform.waitForRequests(request).then(() => {
            stop();
            handle.release();
          });
        });
        assert.equal(stopped, "interrupted");
        assert.equal(steps.length, request - 1, "answered questions");
        assert.equal(end.number, "cleared");
        assertNoAgents(emulator);
      },
    ));

  it("unassigns all agents on Ctrl-C after a 429", async () => {
    const limited: Fault = { kind: "status", status: 429, headers: { "Retry-After": "60" }, after: 2, times: "always" };
    const { stopped, end, emulator } = await probedWith({ faults: [limited] }, (platform, stop) => {
      void platform.waitForRequests(3).then(() => {
        stop();
        platform.clearFaults();
      });
    });
    assert.equal(stopped, "interrupted");
    const statuses = emulator.requests.map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200, 429, 200, 200], "two questions, the 429, and a request to clear each field");
    assert.equal(end.number, "cleared");
    assertNoAgents(emulator);
  });
});

describe("a probe with failing requests", () => {
  const always = "always";
  for (const { name, fault, requests, stops } of [
    {
      name: "a request fails with a 401",
      fault: { kind: "status", status: 401, after: 3 },
      requests: 6,
      stops: true,
    },
    {
      name: "a request fails with a 429",
      fault: { kind: "status", status: 429, after: 3 },
      requests: 10,
      stops: false,
    },
    { name: "a response is lost", fault: { kind: "reset", after: 3 }, requests: 10, stops: false },
    { name: "the first response is lost", fault: { kind: "reset" }, requests: 10, stops: false },
    { name: "a request is lost", fault: { kind: "reset", applied: false, after: 6 }, requests: 10, stops: false },
    { name: "the last response is lost", fault: { kind: "reset", after: 8 }, requests: 10, stops: false },
    { name: "a response is truncated", fault: { kind: "reset", inBody: true, after: 2 }, requests: 10, stops: false },
    {
      name: "a 429 has a Retry-After of one hour",
      fault: { kind: "status", status: 429, headers: { "Retry-After": "3600" }, after: 3 },
      requests: 6,
      stops: true,
    },
    {
      name: "a request is redirected",
      fault: { kind: "status", status: 302, headers: { Location: "https://other.example" }, after: 3 },
      requests: 6,
      stops: true,
    },
    {
      name: "four responses in a row are lost",
      fault: { kind: "reset", times: 4 },
      requests: 6,
      stops: true,
    },
  ] as const satisfies readonly { name: string; fault: Fault; requests: number; stops: boolean }[]) {
    it(`unassigns all agents if ${name}`, async () => {
      const { stopped, end, emulator } = await probedWith({ faults: [fault] });
      assert.equal(stopped !== undefined, stops, "some questions were not asked");
      assert.equal(emulator.requests.length, requests, "requests");
      assert.equal(end.number, "cleared");
      assertNoAgents(emulator);
    });
  }

  it("stops and unassigns all agents if the platform rejects the outbound agent", () =>
    checkRows(["404", "422"] as const, String, async (status) => {
      const { stopped, end, contradictions, emulator } = await probedWith({
        profile: { unknownAgents: status },
        outbound: { agentId: "agent_missing_typo" },
      });
      assert.ok(stopped !== undefined && stopped !== "interrupted", "the probe is stopped by a failed request");
      assert.equal(stopped.isOutboundRefused, true);
      assert.equal(stopped.failure.exchange.status, Number(status));
      assert.deepEqual(contradictions, []);
      assert.equal(end.number, "cleared");
      assertNoAgents(emulator);
    }));

  it("leaves the number unchanged if the platform rejects the token", async () => {
    const { end, emulator } = await probedWith({ faults: [{ kind: "status", status: 401, times: always }] });
    assert.equal(end.number, "unchanged");
    assert.equal(emulator.requests.length, 1, "requests");
    assert.equal(emulator.routing(NUMBER), undefined);
  });

  it("reports that agents remain assigned if the token becomes invalid", async () => {
    const { end, emulator } = await probedWith({ faults: [{ kind: "status", status: 401, after: 3, times: always }] });
    assert.deepEqual(
      end.left.map(({ field, failure }) => ({ field, cause: failure?.cause })),
      [
        { field: "inboundAgents", cause: "unauthenticated" },
        { field: "outboundAgentId", cause: "unauthenticated" },
      ],
    );
    assert.equal(
      emulator.requests.length,
      5,
      "requests: three accepted ones, the refused one, and one to clear the number",
    );
  });

  it("stops without drawing conclusions if every request gets a 503", async () => {
    const { stopped, contradictions } = await probedWith({ faults: [{ kind: "status", status: 503, times: always }] });
    assert.notEqual(stopped, undefined);
    assert.deepEqual(contradictions, []);
  });
});
