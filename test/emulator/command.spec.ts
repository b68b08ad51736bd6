import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { emulatorCommand } from "../../cli/commands/emulator";
import { faultKinds } from "../../emulator";
import { refusal, runWith } from "../cli/terminal";
import { chatBody, voiceBody } from "./support";

/** Collects what a command prints, and wakes who waits for a text. */
function capture() {
  let printed = "";
  const writes = new EventEmitter();
  return {
    stream: {
      write(text: string) {
        printed += text;
        writes.emit("text");
      },
    },
    text: () => printed,
    async until(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const match = pattern.exec(printed);
        if (match !== null) {
          return match;
        }
        await once(writes, "text");
      }
    },
  };
}

const run = (...argv: string[]) => runWith(emulatorCommand.run, argv);

/** Runs the command while `use` talks to it, and returns all that it printed. */
async function serving(
  argv: string[],
  use: (url: string, printed: ReturnType<typeof capture>) => Promise<void>,
): Promise<string> {
  const [stdout, stderr] = [capture(), capture()];
  const controller = new AbortController();
  const ended = emulatorCommand.run(argv, { stdout: stdout.stream, stderr: stderr.stream, signal: controller.signal });
  const [, url = ""] = await stdout.until(/BASE_URL=(\S+)/);
  await use(url, stdout);
  controller.abort();
  assert.equal(await ended, 0);
  assert.equal(stderr.text(), "");
  await assert.rejects(fetch(url));
  return stdout.text();
}

async function send(url: string, path: string, body: unknown, method = "POST"): Promise<number> {
  const headers = { Authorization: "Bearer secret", "Content-Type": "application/json" };
  return (await fetch(url + path, { method, headers, body: JSON.stringify(body) })).status;
}

describe("agent-platform emulator", () => {
  it("prints the URL and what to set, and a line for each request", async () => {
    let port = "";
    const printed = await serving(["--token", "secret"], async (url, stdout) => {
      port = new URL(url).port;
      const inboundAgents = [
        { agent_id: "agent_a", agent_version: 12, weight: 70 },
        { agent_id: "agent_b", weight: 30 },
      ];
      const path = "/api/numbers/%2B15551234567/agent";
      await send(url, path, { inboundAgents, outboundAgentId: "agent_o", outboundAgentVersion: 2 }, "PUT");
      await send(url, path, { inboundAgents: [], outboundAgentId: null }, "PUT");
      await send(url, path, { inboundAgents: [{ agent_id: "a\u001b[31m", weight: 1 }] }, "PUT");
      await send(url, "/api/numbers/4001/agent", { workspaceId: "x" }, "PUT");
      await send(url, "/api/voices/community", voiceBody);
      await send(url, "/api/chats/outbound-sms", chatBody);
      await send(url, "/api/other", {});
      await stdout.until(/other 404/);
    });
    assert.equal(
      printed,
      `The platform's emulator listens on http://127.0.0.1:${port} (workspace 42). Ctrl-C stops it.

  export AGENT_PLATFORM_BASE_URL=http://127.0.0.1:${port}
  export AGENT_PLATFORM_ACCESS_TOKEN=secret

PUT /api/numbers/%2B15551234567/agent 200  inbound: {"agent_a@12":70,"agent_b":30}
PUT /api/numbers/%2B15551234567/agent 200  inbound: {}
PUT /api/numbers/%2B15551234567/agent 200  inbound: {"a\\u001b[31m":1}
PUT /api/numbers/4001/agent 400
POST /api/voices/community 200
POST /api/chats/outbound-sms 201
POST /api/other 404
`,
    );
  });

  it("takes switches and faults", async () => {
    const sets = ["putStatus=202", "knownAgents=a,b"];
    const faults = ["503:addCommunityVoice:2", "resetAfterRequest:createSmsChat", "418:endChat:always"];
    const argv = [
      ...["--token", "it's secret"],
      ...sets.flatMap((set) => ["--set", set]),
      ...faults.flatMap((fault) => ["--fault", fault]),
    ];
    const printed = await serving(argv, async (url, stdout) => {
      const headers = { Authorization: "Bearer it's secret", "Content-Type": "application/json" };
      for (const [method, path, status] of [
        ["PUT", "/api/numbers/1/agent", 202],
        ["POST", "/api/chats/1/end", 418],
        ["POST", "/api/voices/community", 503],
        ["POST", "/api/voices/community", 503],
        ["POST", "/api/voices/community", 400],
        ["POST", "/api/chats/outbound-sms", undefined],
      ] as const) {
        const reply = await fetch(url + path, { method, headers, body: "{}" }).catch(() => undefined);
        assert.equal(reply?.status, status, path);
      }
      await stdout.until(/resetAfterRequest\]/);
    });
    const [, ...lines] = printed.split("\n\n").map((part) => part.trim());
    assert.match(lines[0] ?? "", /\n {2}export AGENT_PLATFORM_ACCESS_TOKEN='it'\\''s secret'$/);
    assert.equal(
      lines[1],
      `PUT /api/numbers/1/agent 202  inbound: {}
POST /api/chats/1/end 418 [status]
POST /api/voices/community 503 [status]
POST /api/voices/community 503 [status]
POST /api/voices/community 400
POST /api/chats/outbound-sms cut [resetAfterRequest]`,
    );
  });

  it("lists the switches and the faults in its help", async () => {
    const { code, stdout, stderr } = await run("--help");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(stdout.includes("\n  clears: any, null, empty, omit, nullRefused, emptyRefused\n"), stdout);
    for (const kind of faultKinds) {
      assert.match(stdout, new RegExp(`\\b${kind}[,.]`));
    }
  });

  for (const [argv, message] of [
    [["--port", "x"], '--port takes a whole number, not "x".'],
    [["--nope"], "The option --nope does not exist."],
    [["extra"], "emulator takes only options."],
    [["--set", "nope=1"], '--set takes switch=value, not "nope=1". --help lists the switches.'],
    [["--set", "clears=x"], 'Switch clears takes any, null, empty, omit, nullRefused, emptyRefused; not "x".'],
    [["--set", "rateLimit=ten"], '--set rateLimit takes a whole number, not "ten".'],
    [["--port", "70000"], "options.port should be >= 0 and < 65536."],
    [["--fault", "nope\u001b"], 'Fault kind "nope\\u{1b}" does not exist. Kinds: '],
    [["--fault", "503:chat"], '--fault: "chat" is not an operation. --help lists them.'],
    [["--fault", "silence::x"], '--fault times takes a whole number, not "x".'],
  ] as const) {
    it(`refuses ${JSON.stringify(argv)}`, async () => {
      const { code, stdout, stderr } = await run(...argv);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.ok(stderr.startsWith(`pulumi-agent-platform emulator: ${message}`), stderr);
    });
  }

  it("says that a port is taken", async () => {
    await serving([], async (url) => {
      const { port } = new URL(url);
      const message = `listen EADDRINUSE: address already in use 127.0.0.1:${port}`;
      assert.deepEqual(await run("--port", port), refusal("emulator", message));
    });
  });

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`stops cleanly at ${signal}, with a request still open`, async () => {
      const script =
        'require("./cli/commands/emulator").emulatorCommand.run(["--fault", "silence:addCommunityVoice"]).then((code) => process.exit(code + 40))';
      const child = spawn(process.execPath, ["-r", "tsx/cjs", "-e", script], {
        cwd: join(__dirname, "../.."),
        stdio: ["ignore", "pipe", "inherit"],
      });
      const stdout = capture();
      child.stdout.on("data", (chunk: Buffer) => stdout.stream.write(String(chunk)));
      const [, url = ""] = await stdout.until(/BASE_URL=(\S+)/);
      const [, token = ""] = await stdout.until(/ACCESS_TOKEN=(\S+)/);
      const open = assert.rejects(
        fetch(`${url}/api/voices/community`, { method: "POST", headers: { Authorization: `Bearer ${token}` } }),
      );
      // The port takes one more request, so the first one is there.
      await fetch(`${url}/api/other`);
      const exited = once(child, "exit");
      child.kill(signal);
      assert.deepEqual(await exited, [40, null]);
      await open;
    });
  }
});
