import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { numberAssignment } from "../../provider/numbers/lifecycle";
import type { NumbersState } from "../../provider/numbers/state";
import { smsChat } from "../../provider/posts/kinds";
import type { NumbersInputs } from "../../provider/routing/group";
import { SavedError } from "../../provider/run/errors";
import { reasonMessage } from "../../provider/run/reason";
import { Run } from "../../provider/run/run";
import { remedyOf } from "../../provider/words/codes";
import { render } from "../../provider/words/message";
import { chat } from "../posts/inputs";
import { noContent, redirect } from "../support/answers";
import { steady } from "../support/miniStack";
import { urnOf } from "../support/providerCalls";
import { rejectionOf } from "../support/rejected";
import { refusal, said, TOKEN } from "../support/said";
import { newRun } from "../support/session";

/** What an operator reads when it matters: each sentence whole. Durations, ports and made-up ids are steady. */

const NUMBER = "+15551234567";

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ token: TOKEN });
});
afterEach(() => emulator.close());

const number = (more: Partial<NumbersInputs> = {}): NumbersInputs => ({
  __urn: urnOf("numberAssignment", "support"),
  number: NUMBER,
  workspaceId: 42,
  inboundAgents: { "agent_a@1": 90, "agent_a@2": 10 },
  endpoint: emulator.url,
  ...more,
});

const run = (more: object = {}) => newRun(emulator.url, TOKEN, { attempts: 1, ...more });
describe("a number that the platform refuses", () => {
  const rejected = (code: string, status: number, words: string, remedy: string) =>
    `${code} NumberAssignment "support" (${NUMBER}): routing unchanged; the platform returned ${status} to PUT /api/numbers/{number}/agent: "${words}".
  1 attempt in 0.0 s, request id emulator-1.
  Nothing is saved.
  ${remedy}${remedy.includes("`npx ") ? "" : `\n  More: npx pulumi-agent-platform help ${code}`}`;
  const source = "agent-platform:accessToken (stack config)";
  const rows: readonly {
    readonly code: string;
    readonly status: number;
    readonly words: string;
    readonly remedy: string;
    readonly headers?: object;
  }[] = [
    {
      code: "AGP-030",
      status: 422,
      words: "weights must sum to 1",
      remedy: "Fix the problem that the message quotes, then rerun.",
    },
    {
      code: "AGP-031",
      status: 401,
      words: "who are you?",
      remedy: `Create a new token, set it and rerun: \`npx pulumi-agent-platform help troubleshooting\`. The token is from ${source}.`,
    },
    {
      code: "AGP-032",
      status: 403,
      words: "no",
      remedy: `Check that the token is allowed to edit this workspace. The token is from ${source}.`,
    },
    { code: "AGP-033", status: 404, words: "no", remedy: "Check the number or id, and the workspace." },
    { code: "AGP-034", status: 429, words: "slow down", remedy: "Rerun in 120 s.", headers: { "retry-after": "120" } },
  ];
  for (const { code, status, words, remedy, headers } of rows) {
    it(`reads ${code}`, async () => {
      emulator.inject(refusal(status, words, headers));
      assert.equal(await said(numberAssignment.create(number(), run())), rejected(code, status, words, remedy));
      assert.equal(emulator.requests.length, 1);
    });
  }

  it("says what to do by the response, if it quotes nothing", async () => {
    const page = { status: 403, body: "<title>Blocked</title>", headers: { "Content-Type": "text/html" } };
    for (const [code, fault, words, remedy] of [
      [
        "AGP-030",
        { status: 422, body: undefined },
        "from 127.0.0.1:8080",
        "The platform gives no reason. Check the arguments, then ask its support, with the request id if there is one.",
      ],
      [
        "AGP-032",
        page,
        "from 127.0.0.1:8080, content-type text/html",
        "A page came instead of a response of the API. Check the base URL (http://127.0.0.1:8080), and what is between: a firewall, a gateway, a sign-in.",
      ],
      [
        "AGP-032",
        { ...page, body: "<!DOCTYPE html><title>Blocked</title>", headers: { "Content-Type": "" } },
        "from 127.0.0.1:8080, content-type unknown",
        "A page came instead of a response of the API. Check the base URL (http://127.0.0.1:8080), and what is between: a firewall, a gateway, a sign-in.",
      ],
      [
        "AGP-034",
        { ...page, status: 429, headers: { ...page.headers, "Retry-After": "120" } },
        "from 127.0.0.1:8080, content-type text/html",
        "Rerun in 120 s.",
      ],
      [
        "AGP-033",
        { status: 404, body: { message: "no such route" } },
        '"no such route"',
        "If the response is not the platform's own, check the base URL (http://127.0.0.1:8080). Else check the number or id, and the workspace.",
      ],
    ] as const) {
      emulator.inject({ kind: "status", ...fault });
      const text = await said(numberAssignment.create(number(), run()));
      assert.deepEqual(text.replace(/^.*\/agent: /, "").split("\n  "), [
        `${words}.`,
        "1 attempt in 0.0 s, request id emulator-1.",
        "Nothing is saved.",
        remedy,
        `More: npx pulumi-agent-platform help ${code}`,
      ]);
    }
  });

  it("reads AGP-037 if it redirects, and names the address of the response", async () => {
    emulator.inject(redirect("https://platform.example/v2/api/numbers/%2B15551234567/agent"));
    assert.equal(
      await said(numberAssignment.create(number(), run())),
      `AGP-037 NumberAssignment "support" (${NUMBER}): outcome unknown: old or new routing; the platform returned 302 to PUT /api/numbers/{number}/agent: 127.0.0.1:8080 redirects to https://platform.example, which is not followed.
  1 attempt in 0.0 s, request id emulator-1.
  Saved; the next \`pulumi up\` sends this number only.
  If https://platform.example is the platform's own address, set agent-platform:baseUrl to it: the token is sent there. If you do not know that, ask the platform's vendor.
  More: npx pulumi-agent-platform help AGP-037`,
    );
  });
});

describe("a destroy whose token is refused", () => {
  const Environment = "AGENT_PLATFORM_ACCESS_TOKEN";
  const rows: readonly {
    readonly what: string;
    readonly status: number;
    readonly source: "config" | "environment";
    readonly remedy: string;
  }[] = [
    {
      what: "of the saved state",
      status: 401,
      source: "config",
      remedy: `A destroy uses the token of the saved state. Set ${Environment} to a new one and rerun.`,
    },
    {
      what: "without the right",
      status: 403,
      source: "config",
      remedy: "The token is from the saved state.",
    },
    {
      what: "of the environment",
      status: 401,
      source: "environment",
      remedy: `The token is from ${Environment} (environment).`,
    },
  ];
  for (const { what, status, source, remedy } of rows) {
    it(`says what to do about a token ${what}`, async () => {
      const { id, state } = await numberAssignment.create(number(), run());
      const started = await smsChat.create(chat, run());
      emulator.inject(refusal(status));
      const destroy = run();
      const session = new Run({ ...destroy.settings, tokenSource: source }, destroy.world);
      for (const failing of [
        () => numberAssignment.delete(id, state, session),
        () => smsChat.delete(started.id, started.state, session),
      ]) {
        assert.ok((await said(failing())).split("\n").some((line) => line.endsWith(remedy)));
      }
    });
  }
});

describe("a number of which nobody knows", () => {
  it("reads AGP-040, and is saved", async () => {
    emulator.inject({ kind: "reset", applied: false, times: "always" });
    const failed = await rejectionOf(numberAssignment.create(number(), run()));
    assert.ok(failed instanceof SavedError);
    assert.equal(
      steady(failed.message),
      `AGP-040 NumberAssignment "support" (${NUMBER}): outcome unknown: old or new routing; 127.0.0.1:8080 closed the connection before it responded (ECONNRESET) (PUT /api/numbers/{number}/agent).
  1 attempt in 0.0 s.
  Saved; the next \`pulumi up\` sends this number only.
  Rerun: sending the same PUT twice does no harm.
  More: npx pulumi-agent-platform help AGP-040`,
    );
  });
});

describe("a number whose response differs", () => {
  it("reads AGP-050, and the next run sends it again", async () => {
    const [patch, record] = [{ assignment: undefined }, { inbound_agents: [] }];
    emulator.inject({ kind: "contradict", patch, record, times: "always" });
    const session = run();
    const failed = await rejectionOf(numberAssignment.create(number(), session));
    assert.ok(failed instanceof SavedError);
    assert.equal(
      steady(failed.message),
      `AGP-050 NumberAssignment "support" (${NUMBER}): the response differs; inboundAgents: sent agent_a@1 90, agent_a@2 10, the platform returned no agent.
  Saved; the next \`pulumi up\` sends this number only.
  Fix a failed import in the platform, then rerun. If another difference is expected, set \`agent-platform:onMismatch\` to warn.
  More: npx pulumi-agent-platform help AGP-050`,
    );
    const { reasons } = numberAssignment.diff(NUMBER, failed.state as NumbersState, number(), session.settings);
    assert.deepEqual(
      reasons.map((reason) => render(reasonMessage("it", reason))),
      [
        "AGP-044 it: 1 number not applied in an earlier run (the response differed from what was sent). Run `pulumi up`: it sends them again.",
      ],
    );
  });

  it("reads AGP-052 if it is still assigned after a clear", async () => {
    const session = run();
    const { id, state } = await numberAssignment.create(number(), session);
    const record = { inbound_agents: [{ agent_id: "agent_a", agent_version: 1, weight: 1 }] };
    emulator.inject({ kind: "contradict", record, times: "always" });
    assert.equal(
      await said(numberAssignment.delete(id, state, run())),
      `AGP-052 NumberAssignment "support" (${NUMBER}): not cleared; the platform still returns inboundAgents.
  The resource stays in the state.
  Set \`agent-platform:clearWith\` (or AGENT_PLATFORM_CLEAR_WITH) to \`null\`, \`empty\` or \`omit\`, whichever the platform takes, or clear the number in its web application.
  To keep the routing after all, change \`triggers\` and run \`pulumi up\`.`,
    );
    assert.equal(
      await said(numberAssignment.update(id, state, number({ inboundAgents: {} }), run({ clearWith: "null" }))),
      `AGP-052 NumberAssignment "support" (${NUMBER}): the response differs; the platform still returns inboundAgents.
  Saved; the next \`pulumi up\` sends this number only.
  Set \`agent-platform:clearWith\` (or AGENT_PLATFORM_CLEAR_WITH) to \`null\`, \`empty\` or \`omit\`, whichever the platform takes, or clear the number in its web application.
  More: npx pulumi-agent-platform help AGP-052`,
    );
  });

  it("warns once for each reason that it is not verified: AGP-053", async () => {
    const session = run();
    emulator.inject(noContent());
    await numberAssignment.create(number(), session);
    emulator.inject({ kind: "status", status: 202, body: { numbers: [{ number: NUMBER, inbound_agents: [] }] } });
    await numberAssignment.create(number(), session);
    const versionless = [
      { agent_id: "agent_a", weight: 90 },
      { agent_id: "agent_b", weight: 10 },
    ];
    emulator.inject({ kind: "contradict", record: { inbound_agents: versionless }, patch: { assignment: null } });
    await numberAssignment.create(number({ inboundAgents: { "agent_a@1": 90, "agent_b@2": 10 } }), session);
    emulator.inject({ kind: "contradict", record: { id: "one", is_time_routing_enabled: "yes" } });
    await numberAssignment.create(number({ number: "4002" }), session);
    const unverified = (why: string) =>
      `AGP-053 applied but not verified: ${why} (shown once per run). To be sure, call the number. Some platforms never list the agents of a number.`;
    assert.deepEqual(session.warnings, [
      unverified("the response lists no agents"),
      unverified("the platform returned 202, so the change may still be to come"),
      unverified("the response does not show the versions of the agents"),
    ]);
  });
});

describe("a frozen stack", () => {
  it("deletes nothing: AGP-025", async () => {
    const one = await numberAssignment.create(number(), run());
    const { id, state } = await smsChat.create(chat, run());
    emulator.clearRequests();
    const frozen = run({ freeze: "cut-over until Monday" });
    const text = (who: string) =>
      `AGP-025 ${who}: changes are frozen: cut-over until Monday. Nothing was sent for this resource. ${remedyOf("AGP-025")}`;
    const deleted = numberAssignment.delete(one.id, one.state, frozen);
    assert.equal(await said(deleted), text(`NumberAssignment "support" (${NUMBER})`));
    assert.equal(await said(smsChat.delete(id, state, frozen)), text('SmsChat "welcome"'));
    assert.equal(emulator.requests.length, 0);
  });
});
