import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { probeCommand } from "../../cli/commands/probe/command";
import { withSettings } from "../../cli/commands/probe/conclusions";
import { profiles } from "../../emulator";
import { withFiles } from "./exports";
import { agents, notShown, number, probe, settingsOf, tableOf, whole, withEmulator } from "./probeSupport";
import { type Printed, runWith } from "./terminal";

describe("agent-platform probe", () => {
  it("leaves no agent behind under any profile of the emulator", async () => {
    for (const profile of Object.keys(profiles)) {
      if (/^(rateLimit|retryAfter|staleAnswers|tokenExpiresAfter)/.test(profile)) {
        continue;
      }
      await withEmulator(profile, async (emulator) => {
        await probe(emulator, whole(emulator));
        const { inboundAgents = {}, outboundAgentId } = emulator.routing(number) ?? {};
        assert.deepEqual([profile, inboundAgents, outboundAgentId], [profile, {}, undefined]);
      });
    }
  });

  it("prints the same as JSON", () =>
    withEmulator("default", async (emulator) => {
      const printed = await probe(emulator, [...whole(emulator), "--json"]);
      const { unknown, seen, ...rest } = JSON.parse(printed.stdout) as Record<string, unknown>;
      const text = await probe(emulator, whole(emulator));
      assert.equal(printed.code, text.code);
      assert.deepEqual(seen, tableOf(text));
      assert.ok(Array.isArray(unknown) && unknown.length > 0);
      assert.deepEqual(rest, {
        number,
        left: "cleared",
        settings: { "agent-platform:clearWith": "null" },
        isWritten: false,
      });
    }));

  describe("sends nothing without a confirmation", () => {
    const refused: Record<string, { argv: string[]; stdin?: string; stderr: string }> = {
      "no --takes-no-calls": {
        argv: [number, "--confirm", number, ...agents],
        stderr:
          "The probe overwrites the number's routing and leaves it without agents. Make sure that nobody calls it, then add --takes-no-calls.\n",
      },
      "another number typed": {
        argv: [number, "--takes-no-calls", ...agents],
        stdin: "+15550009998\n",
        stderr: "The number was not confirmed: the second one differs. Nothing was sent.\n",
      },
      "nothing typed": {
        argv: [number, "--takes-no-calls", ...agents],
        stderr: "The number was not confirmed: the second one differs. Nothing was sent.\n",
      },
      "another number in --confirm": {
        argv: [number, "--takes-no-calls", "--confirm", "15550009999", ...agents],
        stderr: "The number was not confirmed: the second one differs. Nothing was sent.\n",
      },
      "one agent": {
        argv: [number, "--takes-no-calls", "--confirm", number, "--agent", "agent_a@1"],
        stderr: "Give two agents that exist and have different ids: --agent agent_a@1 --agent agent_b@2.\n",
      },
      "two versions of one agent": {
        argv: [number, "--takes-no-calls", "--confirm", number, "--agent", "agent_a@1", "--agent", "agent_a@2"],
        stderr: "Give two agents that exist and have different ids: --agent agent_a@1 --agent agent_b@2.\n",
      },
      "no agent's id": {
        argv: [number, "--takes-no-calls", "--confirm", number, "--agent", "front", "--agent", "agent_b"],
        stderr: '--agent takes an agent as in agent_front@12, not "front".\n',
      },
      "no number": {
        argv: ["--takes-no-calls", ...agents],
        stderr: "Name one number, a spare one that nobody calls.\n",
      },
      "a number that is a path": {
        argv: ["..", "--takes-no-calls", "--confirm", "..", ...agents],
        stderr: "The number must not be `.` or `..`.\n",
      },
      "a workspace that is no number": {
        argv: [number, "--takes-no-calls", "--confirm", number, ...agents, "--workspace-id", "main"],
        stderr: '--workspace-id takes a whole number, not "main".\n',
      },
      "a config file that does not exist": {
        argv: [number, "--takes-no-calls", "--confirm", number, ...agents, "--write", "Pulumi.none.yaml"],
        stderr: "Pulumi.none.yaml cannot be read. --write takes the config file of a stack that exists.\n",
      },
    };
    for (const [name, { argv, stdin, stderr }] of Object.entries(refused)) {
      it(name, () =>
        withEmulator("default", async (emulator) => {
          const printed = await probe(emulator, argv, stdin === undefined ? {} : { stdin });
          assert.equal(printed.code, 2);
          const prompt = `Everything that ${number} has is overwritten. Type the number again: `;
          assert.equal(printed.stderr.replace(prompt, ""), `agent-platform probe: ${stderr}`);
          assert.equal(printed.stdout, "");
          assert.equal(emulator.requests.length, 0);
        }),
      );
    }

    it("no base URL, no token", async () => {
      const argv = [number, "--takes-no-calls", "--confirm", number, ...agents];
      const none = await runWith(probeCommand.run, argv);
      assert.equal(none.stderr, "agent-platform probe: Set AGENT_PLATFORM_BASE_URL to the platform's base URL.\n");
      const tokenless = await runWith(probeCommand.run, argv, {
        env: { AGENT_PLATFORM_BASE_URL: "https://a.example" },
      });
      assert.equal(tokenless.stderr, "agent-platform probe: Set AGENT_PLATFORM_ACCESS_TOKEN to an access token.\n");
      assert.deepEqual([none.code, tokenless.code], [2, 2]);
    });
  });

  it("takes the number typed a second time as its confirmation, and says what it asks", () =>
    withEmulator("default", async (emulator) => {
      const printed = await probe(emulator, [number, "--takes-no-calls", ...agents], { stdin: `${number}\n` });
      assert.equal(printed.code, 0);
      assert.equal(
        printed.stderr,
        `Everything that ${number} has is overwritten. Type the number again:   weights 70 and 30
  weights 0.7 and 0.3
  weights 7 and 3
  weights 66.5 and 33.5
  an agent with weight 0
  three agents
  an agent without a version
  an outbound agent
  the outbound agent left out
  both, in another order
  the inbound agents left out
  both again
  null in both places
  both again
  [] and ""
  clearing the number
`,
      );
      assert.equal(emulator.requests.length, 16);
      assert.ok(printed.stdout.startsWith(`${number} was probed with 16 PUTs and has no agents now.\n\n`));
    }));

  function endedEarly({ code, stdout }: Printed, left: string, why: string): void {
    assert.equal(code, 1);
    assert.ok(stdout.startsWith(`${left}\n\nEnded early: ${why}\n\n`), stdout);
    assert.ok(stdout.endsWith("\n\nAn incomplete probe suggests no settings.\n"), stdout);
  }

  it("ends where the platform refuses every split, and says in which words", () =>
    withEmulator("unknownAgents=422", async (emulator) => {
      const missing = ["--agent", "agent_missing_a", "--agent", "agent_missing_b"];
      const printed = await probe(emulator, [number, "--takes-no-calls", "--confirm", number, ...missing]);
      endedEarly(
        printed,
        `${number} was not changed: 4 PUTs sent, none accepted.`,
        'the platform returned 422 to PUT /api/numbers/{number}/agent: "agent agent_missing_a not found"',
      );
      assert.equal(emulator.routing(number), undefined);
    }));

  it("does not take a token that expires for a refusal of what was asked", () =>
    withEmulator("tokenExpiresAfter=1", async (emulator) => {
      const printed = await probe(emulator, whole(emulator));
      endedEarly(
        printed,
        `${number} was probed with 5 PUTs; its routing is not known now. Check the number, and clear it in the platform's web application.`,
        'the platform returned 401 to PUT /api/numbers/{number}/agent: "the access token has expired"',
      );
      const { weights, "three agents": three, "an agent without a version": unversioned } = tableOf(printed);
      assert.deepEqual(
        [weights, three, unversioned],
        [notShown, notShown, notShown],
        "three were given, with versions",
      );
    }));

  describe("writes the settings", () => {
    it("into the config file of a stack, where comments and secrets stay as they are", () => {
      const before =
        "encryptionsalt: v1:a\nconfig:\n  # kept\n  agent-platform:clearWith: auto\n  other:key:\n    secure: v1:b\n";
      return withFiles({ "Pulumi.dev.yaml": before }, (folder) =>
        withEmulator("strict", async (emulator) => {
          const printed = await probe(emulator, [...whole(emulator), "--write", "Pulumi.dev.yaml"], { cwd: folder });
          assert.deepEqual(settingsOf(printed), []);
          assert.ok(
            printed.stdout.endsWith(`\n\nWritten to Pulumi.dev.yaml:

  agent-platform:clearWith: "empty"
  agent-platform:weightTotal: "100"
  agent-platform:requireVersions: "true"
`),
          );
          assert.equal(
            readFileSync(join(folder, "Pulumi.dev.yaml"), "utf8"),
            'encryptionsalt: v1:a\nconfig:\n  # kept\n  agent-platform:clearWith: "empty"\n  other:key:\n    secure: v1:b\n' +
              '  agent-platform:weightTotal: "100"\n  agent-platform:requireVersions: "true"\n',
          );
        }),
      );
    });

    it("not into a file that has one of them in another form, and finds that before it sends anything", () =>
      withFiles({ "Pulumi.dev.yaml": "config:\n  agent-platform:clearWith:\n    secure: v1:b\n" }, (folder) =>
        withEmulator("strict", async (emulator) => {
          const printed = await probe(emulator, [...whole(emulator), "--write", "Pulumi.dev.yaml"], { cwd: folder });
          assert.deepEqual([printed.code, emulator.requests.length], [2, 0]);
        }),
      ));

    it("not into a file that somebody has edited meanwhile: then it prints commands, and ends with 1", () =>
      withFiles({ "Pulumi.dev.yaml": "config:\n  b: 1\n" }, (folder) =>
        withEmulator("strict", async (emulator) => {
          const onPrinted = () => writeFileSync(join(folder, "Pulumi.dev.yaml"), "config:\n  b: 2\n");
          const argv = [...whole(emulator), "--write", "Pulumi.dev.yaml"];
          const printed = await probe(emulator, argv, { cwd: folder, onPrinted });
          assert.match(
            printed.stdout,
            /has no agents now\.[\s\S]*\n\nNot written: Pulumi\.dev\.yaml was changed meanwhile\.\n\n/,
          );
          assert.deepEqual(settingsOf(printed), ["clearWith empty", "weightTotal 100", "requireVersions true"]);
          assert.equal(readFileSync(join(folder, "Pulumi.dev.yaml"), "utf8"), "config:\n  b: 2\n");
          assert.equal(printed.code, 1);
        }),
      ));

    const files: Record<string, [string, string]> = {
      "an empty file": ["", 'config:\n  a: "null"\n'],
      "a file without config": ["encryptionsalt: v1:a\n", 'encryptionsalt: v1:a\nconfig:\n  a: "null"\n'],
      "another indentation": ["config:\n    b: 1\n", 'config:\n    b: 1\n    a: "null"\n'],
      "something after config": [
        "config:\n  b: 1\nsecretsprovider: x\n",
        'config:\n  b: 1\n  a: "null"\nsecretsprovider: x\n',
      ],
      "Windows line ends": ["config:\r\n  a: auto\r\n", 'config:\n  a: "null"\n'],
      "a key in quotes": ["config:\n  \"a\": auto\n  'b': 1\n", "config:\n  a: \"null\"\n  'b': 1\n"],
      "a comment that has the key": ["config:\n# a: old\n  b: 1\n", 'config:\n# a: old\n  b: 1\n  a: "null"\n'],
      "the same key twice as long": ["config:\n  ab: 1\n", 'config:\n  ab: 1\n  a: "null"\n'],
    };
    for (const [name, [before, after]] of Object.entries(files)) {
      it(`into ${name}`, () => assert.equal(withSettings(before, { a: "null" }), after));
    }

    it("not into a file in another form", () => {
      const message =
        "The config file is not written as `pulumi config set` writes it. Leave --write out: the probe then prints commands.";
      for (const text of [
        '{"config": {}}',
        "config: {a: b}\n",
        '"config":\n  a: 1\n',
        "config:\n  a:\n    secure: v1:x\n",
      ]) {
        assert.throws(() => withSettings(text, { a: "b" }), { message });
      }
    });
  });

  it("never prints the token", () =>
    withEmulator("errorStatuses=401/403/409", async (emulator) => {
      const { stdout, stderr } = await probe(emulator, whole(emulator));
      assert.ok(stdout.length > 0);
      assert.ok(!`${stdout}${stderr}`.includes(emulator.token));
    }));
});
