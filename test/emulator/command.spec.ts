import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { emulatorCommand } from "../../cli/commands/emulator";
import { defaultProfile, type Emulator, FAULTS, startEmulator } from "../../emulator";
import { TOKEN_RULE } from "../../provider/config/settings";
import { type Printed, runWith } from "../cli/terminal";
import { assertNames, namedIn } from "../support/named";
import { checkRows } from "../support/rows";
import { REFUSED, RUNNING } from "./refused";
import { capture, serving } from "./served";
import { chatBody, voiceBody } from "./support";

/**
 * Asserts that the command exits with 2 and prints only an error message.
 * @param hint the part of the message that helps the user fix the problem, such as an option
 */
function assertRefusal({ code, stdout, stderr }: Printed, hint: string): void {
  assert.equal(code, 2);
  assert.equal(stdout, "");
  assert.ok(stderr.includes(hint), `the error doesn't mention ${hint}: ${stderr}`);
}

const run = (...argv: string[]) => runWith(emulatorCommand.run, argv);

async function send(url: string, path: string, body: unknown, method = "POST"): Promise<number> {
  const headers = { Authorization: "Bearer its-secret", "Content-Type": "application/json" };
  return (await fetch(url + path, { method, headers, body: JSON.stringify(body) })).status;
}

describe("the emulator command", () => {
  it("prints the emulator's URL, environment variables and requests", async () => {
    let port = "";
    const printed = await serving(["--token", "its-secret"], async (url, stdout) => {
      port = new URL(url).port;
      const inboundAgents = [
        { agent_id: "agent_a", agent_version: 12, weight: 70 },
        { agent_id: "agent_b", weight: 30 },
      ];
      const path = "/api/numbers/%2B15551234567/agent";
      await send(url, path, { inboundAgents, outboundAgentId: "agent_o", outboundAgentVersion: 2 }, "PUT");
      await send(url, path, { inboundAgents: [], outboundAgentId: null }, "PUT");
      await send(url, path, { inboundAgents: [{ agent_id: "agent_long".repeat(5), weight: 1 }] }, "PUT");
      await send(url, path, { inboundAgents: [{ agent_id: "a\u001b[31m", weight: 1 }] }, "PUT");
      await send(url, "/api/numbers/4001/agent", { workspaceId: "x" }, "PUT");
      await send(url, "/api/voices/community", voiceBody);
      await send(url, "/api/chats/outbound-sms", chatBody);
      await send(url, "/api/other", {});
      await stdout.until(/other 404/);
    });
    const [banner = "", variables, requests] = printed.split("\n\n");
    assertNames(banner, `http://127.0.0.1:${port} 42`);
    assert.equal(
      variables,
      `  export AGENT_PLATFORM_BASE_URL=http://127.0.0.1:${port}\n  export AGENT_PLATFORM_ACCESS_TOKEN=its-secret`,
    );
    assert.equal(
      requests?.replace(/voice_\w{16}/, "VOICE").replace(/chat_\w{16}/, "CHAT"),
      `PUT /api/numbers/%2B15551234567/agent 200  agent_a@12 70, agent_b 30
PUT /api/numbers/%2B15551234567/agent 200  no inbound agents
PUT /api/numbers/%2B15551234567/agent 200
  ${"agent_long".repeat(5)} 1
PUT /api/numbers/%2B15551234567/agent 200  a\\u{1b}[31m 1
PUT /api/numbers/4001/agent 400
POST /api/voices/community 200  VOICE
POST /api/chats/outbound-sms 201  CHAT
POST /api/other 404
`,
    );
  });

  it("applies switches from --set and faults from --fault", async () => {
    const set = JSON.stringify({ putStatus: 202, knownAgents: ["a", "b"] });
    const faults = ["503:addCommunityVoice:2", "reset:createSmsChat", "418:endChat:always", "422::always:4001"];
    faults.push('{ "kind": "status", "status": 409, "number": "4002", "times": "always" }');
    const argv = ["--token", "it's-secret", "--set", set, ...faults.flatMap((fault) => ["--fault", fault])];
    const printed = await serving(argv, async (url, stdout) => {
      const headers = { Authorization: "Bearer it's-secret", "Content-Type": "application/json" };
      for (const { method, path, status, body } of [
        { method: "PUT", path: "/api/numbers/1/agent", status: 202, body: {} },
        { method: "PUT", path: "/api/numbers/4001/agent", status: 422, body: {} },
        { method: "PUT", path: "/api/numbers/4002/agent", status: 409, body: {} },
        { method: "PUT", path: "/api/numbers/4002/agent", status: 409, body: {} },
        { method: "POST", path: "/api/chats/1/end", status: 418, body: {} },
        { method: "POST", path: "/api/voices/community", status: 503, body: {} },
        { method: "POST", path: "/api/voices/community", status: 503, body: {} },
        { method: "POST", path: "/api/voices/community", status: 400, body: {} },
        { method: "POST", path: "/api/chats/outbound-sms", status: undefined, body: chatBody },
      ] as const) {
        const reply = await fetch(url + path, { method, headers, body: JSON.stringify(body) }).catch(() => undefined);
        assert.equal(reply?.status, status, path);
      }
      await stdout.until(/reset, applied\].*/);
    });
    const [, ...sections] = printed.split("\n\n").map((part) => part.trim());
    assert.match(sections[0] ?? "", /\n {2}export AGENT_PLATFORM_ACCESS_TOKEN='it'\\''s-secret'$/);
    assert.equal(
      sections[1]?.replace(/chat_\w{16}/, "CHAT"),
      `PUT /api/numbers/1/agent 202  no inbound agents
PUT /api/numbers/4001/agent 422 [status]
PUT /api/numbers/4002/agent 409 [status]
PUT /api/numbers/4002/agent 409 [status]
POST /api/chats/1/end 418 [status]
POST /api/voices/community 503 [status]
POST /api/voices/community 503 [status]
POST /api/voices/community 400
POST /api/chats/outbound-sms cut [reset, applied]  CHAT`,
    );
  });

  it("prints the state of a running emulator", () =>
    serving(["--token", "its-secret", "--fault", "reset:createSmsChat"], async (url, stdout) => {
      await assert.rejects(send(url, "/api/chats/outbound-sms", chatBody));
      const [, id = ""] = await stdout.until(/applied\] {2}(chat_\w+)/);
      await send(url, "/api/numbers/4001/agent", { inboundAgents: [{ agent_id: "agent_a", weight: 1 }] }, "PUT");
      const expected = `Numbers:
  4001  agent_a 1

Chats:
  ${id}  to ${chatBody.to_number}

Voices:
  none

Faults:
  none
`;
      const status = await run("status", "--port", new URL(url).port);
      const [head = "", ...sections] = status.stdout.split("\n\n");
      assert.deepEqual([status.code, status.stderr, sections.join("\n\n")], [0, "", expected]);
      assert.equal(namedIn(head), `${url} 42 2`);
      const env = { AGENT_PLATFORM_BASE_URL: url };
      assert.deepEqual(await runWith(emulatorCommand.run, ["status"], { env }), status);
    }));

  it("replaces and removes the faults of a running emulator", () =>
    serving(["--token", "its-secret", "--fault", "hold"], async (url, stdout) => {
      const put = () => send(url, "/api/numbers/4001/agent", {}, "PUT");
      const port = ["--port", new URL(url).port];
      const heldRequest = put();
      const { stdout: status } = await run("503:assignNumber:always:4001", "contradict", "reset:endChat:2", ...port);
      assert.match(
        status,
        /\nFaults:\n {2}503 {9}assignNumber, 4001, always\n {2}contradict {2}each operation, 1 more\n {2}reset {7}endChat, 2 more\n$/,
      );
      assert.equal(await heldRequest, 200);
      assert.equal(await put(), 503);
      assert.match((await run("none", ...port)).stdout, /\nFaults:\n {2}none\n$/);
      assert.equal(await put(), 200);
      await stdout.until(/(PUT.*\n){3}/);
    }));

  it("lists every switch and fault in its help", async () => {
    const { code, stdout, stderr } = await run("--help");
    assert.equal(code, 0);
    assert.equal(stderr, "");
    assert.match(stdout, /^ {2}omittedFields: merge, replace$/m);
    const listed = [...stdout.matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name);
    assert.deepEqual(listed, Object.keys(defaultProfile));
    const help = stdout.replace(/\s+/g, " ");
    for (const [kind, description] of Object.entries(FAULTS)) {
      const entry = `${kind === "status" ? "503, 429, …" : kind} ${description}`;
      assert.ok(help.includes(entry), `missing from the help: ${entry}`);
    }
  });

  it("prints request bodies with --verbose but redacts the token", async () => {
    const printed = await serving(["--token", "its-secret", "--verbose"], async (url, stdout) => {
      await send(url, "/api/numbers/4001/agent", { workspaceId: 42, extra: "its-secret\u001b" }, "PUT");
      await stdout.until(/PUT .*\n.*\n/);
    });
    assert.match(
      printed,
      /^PUT \S+ 200 {2}no inbound agents\n {2}\{"workspaceId":42,"extra":"\[the access token\]\\u001b"\}\n$/m,
    );
  });

  let running: Emulator;
  before(async () => {
    running = await startEmulator();
  });
  after(() => running.close());
  for (const [description, ...argv] of REFUSED) {
    it(`rejects ${description}`, async () => {
      const { code, stdout, stderr } = await run(...argv.map((arg) => (arg === RUNNING ? `${running.port}` : arg)));
      assert.equal(code, 2);
      assert.equal(stdout, "");
      assert.ok(!stderr.includes("\u001b"), `the error contains a control character: ${stderr}`);
    });
  }

  it("reports an error if no local emulator is running", async () => {
    const stopped = await startEmulator();
    await stopped.close();
    assertRefusal(await run("none", "--port", `${stopped.port}`), stopped.url);
    for (const url of ["https://platform.example.com", "platform.example"]) {
      const env = { AGENT_PLATFORM_BASE_URL: url };
      assertRefusal(await runWith(emulatorCommand.run, ["none"], { env }), "--port");
    }
  });

  it("reports an error if the server at the port is not an emulator", () =>
    checkRows(["<!doctype html>", '{"message":"Not Found"}'], String, async (page) => {
      const otherServer = createServer((_, response) => void response.end(page)).listen(0, "127.0.0.1");
      await once(otherServer, "listening");
      const { port } = otherServer.address() as AddressInfo;
      assertRefusal(await run("status", "--port", `${port}`), `http://127.0.0.1:${port}`);
      otherServer.closeAllConnections();
      otherServer.close();
    }));

  it("prints the token requirements if the token is too short", async () => {
    assertRefusal(await run("--token", "short"), TOKEN_RULE);
  });

  it("rethrows an unexpected error", async () => {
    const bug = new Error("a bug");
    const onPrinted = (text: string) => {
      if (text.includes("BASE_URL=")) {
        throw bug;
      }
    };
    await assert.rejects(runWith(emulatorCommand.run, [], { onPrinted }), bug);
  });

  it("suggests the next port if the requested one is in use", async () => {
    await serving([], async (url) => {
      const { port } = new URL(url);
      assertRefusal(await run("--port", port), `--port ${Number(port) + 1}`);
    });
  });

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`stops cleanly on ${signal} while a request is open`, async () => {
      const script =
        'require("./cli/commands/emulator").emulatorCommand.run(["--fault", "hold:addCommunityVoice"]).then((code) => process.exit(code + 40))';
      const child = spawn(process.execPath, ["-r", "tsx/cjs", "-e", script], {
        cwd: join(__dirname, "../.."),
        stdio: ["ignore", "pipe", "inherit"],
      });
      const stdout = capture();
      child.stdout.on("data", (chunk: Buffer) => stdout.stream.write(String(chunk)));
      const [, url = ""] = await stdout.until(/BASE_URL=(\S+)/);
      const [, token = ""] = await stdout.until(/ACCESS_TOKEN=(\S+)/);
      const openRequest = assert.rejects(
        fetch(`${url}/api/voices/community`, { method: "POST", headers: { Authorization: `Bearer ${token}` } }),
      );
      // Send a second request and wait for its response. By then, the emulator has received the first request, too.
      await fetch(`${url}/api/other`);
      const exited = once(child, "exit");
      child.kill(signal);
      assert.deepEqual(await exited, [40, null]);
      await openRequest;
    });
  }
});
