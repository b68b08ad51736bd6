import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { startEmulator } from "../../emulator";
import { type EngineProcess, killAll, processesWith } from "../support/engineProcesses";
import { runRunbook, type World } from "./guide";
import { NUMBER, puts, routed } from "./steps";

/** Runs each runbook's commands in the situation that the runbook describes, and checks the result on the emulator. */

/**
 * Runs a command and kills its processes after the platform has carried out a request, but before it responds.
 * @returns the command's output
 */
const killDuring = async (
  { platform, project, run }: World,
  command: string,
  isKilled: (process: EngineProcess) => boolean = () => true,
) => {
  const held = platform.inject({ kind: "hold", times: "always" });
  const running = run(command, { fails: true });
  await platform.waitForRequests(1);
  killAll(processesWith("PULUMI_HOME", project.env.PULUMI_HOME ?? "").filter(isKilled));
  const output = await running;
  held.release();
  return output;
};

const killUp = (world: World) => killDuring(world, "pulumi up");

/** Asserts which POSTs the platform got, because a repeated POST can add a second voice or send a second SMS. */
const assertPosts = ({ platform }: World, operations: readonly string[]) =>
  assert.deepEqual(
    platform.requests
      .filter(({ method }) => method === "POST")
      .map(({ operation }) => operation)
      .sort(),
    operations,
    "the POSTs that reached the platform",
  );

const SALES = "+15551234568";

const assigned = (name: string, number: string, split: string, more = ""): string =>
  `new NumberAssignment("${name}", { number: "${number}", inboundAgents: split({ ${split} })${more} });`;

const chatAndVoice = [
  `new SmsChat("reminder", { workspaceId: 42, agentId: "chat_agent_reminder", fromNumber: "+15551234560", toNumber: "+15551234561" });`,
  `new CommunityVoice("nova", { workspaceId: 42, voiceProvider: "acme", providerVoiceId: "v-1", voiceName: "Nova", publicUserId: "u-1" });`,
];

const program = (...resources: readonly string[]): string =>
  `import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";\n${resources.join("\n")}`;

const chat = (more = ""): string =>
  program(
    `new SmsChat("reminder", { workspaceId: 42, agentId: "chat_agent_reminder", fromNumber: "${NUMBER}", toNumber: "${SALES}"${more} });`,
  );

const everything = program(assigned("support", NUMBER, `"agent_front@12": 100`), ...chatAndVoice);

describe("the runbook wrong-agents.md", () => {
  const abortPage = "docs/runbooks/wrong-agents.md";
  const group = (...numbers: readonly string[]) =>
    `new NumberGroup("front", { numbers: ${JSON.stringify(numbers)}, rollout: "front" });`;
  const reception = (agent: string) => assigned("desk", "+15551234569", `"${agent}": 100`);
  const deployed = program(group(NUMBER, SALES), reception("agent_desk@3"), ...chatAndVoice);
  const config = {
    "agent-platform:rollouts": { front: { stable: "agent_front@12", candidate: "agent_front@13", percent: 50 } },
  };
  const replacements = { "+15551234567": "+15551234569", "Pulumi.prod.yaml": "Pulumi.dev.yaml" };
  const half = { "agent_front@12": 50, "agent_front@13": 50 };
  /** Asserts that both numbers in the group have these agents, and that the desk's separate number is unchanged. */
  const assertCallers = (world: World, front: Readonly<Record<string, number>>) => {
    routed(NUMBER, front)(world);
    routed(SALES, front)(world);
    routed("+15551234569", { "agent_desk@3": 100 })(world);
  };
  /** Returns `notRun` for a test that runs only the commands in `used`. Each string is a part of a line on the page. */
  const commandsExcept = (...used: readonly string[]) =>
    [
      "abort front",
      "doctor",
      "--up --yes",
      '4711" npx',
      "--to",
      "cancel",
      "Abort front in",
      "HEAD:refs",
      "show +1",
      '4711" pulumi up',
      "config set",
      "Freeze prod",
    ].filter((command) => !used.includes(command));

  it("completes an abort after the platform rejects one number", () => {
    const notRun = commandsExcept("abort front", "doctor", "--up --yes", "Abort front in", "HEAD:refs");
    return runRunbook(abortPage, { config, replacements, notRun }, async (world, command) => {
      world.write(deployed);
      await world.run(`git init -q --bare ../remote.git && git init -q -b main . && git remote add origin ../remote.git
        cp -L Pulumi.dev.yaml copy && mv copy Pulumi.dev.yaml && git config user.name kim && git config user.email kim@example.com
        git add Pulumi.dev.yaml && git commit -qm first && git push -qu origin main && pulumi up`);
      const refused = world.platform.inject({ kind: "status", status: 422, number: NUMBER, times: 1 });
      await command("abort front", true);
      assert.equal(refused.hits, 1);
      routed(SALES, { "agent_front@12": 100 })(world);
      assert.match(await command("doctor", true), /\+15551234567/);
      await command("--up --yes");
      assertCallers(world, { "agent_front@12": 100 });
      await command("Abort front in");
      await command("HEAD:refs");
      for (const branch of ["main", "abort-front"]) {
        assert.match(await world.run(`git -C ../remote.git show ${branch}:Pulumi.dev.yaml`), /percent"?: 0/);
      }
      assertPosts(world, ["addCommunityVoice", "createSmsChat"]);
    });
  });

  it("aborts a rollout without deploying other program changes", () => {
    const notRun = commandsExcept("abort front");
    return runRunbook(abortPage, { config, replacements, notRun }, async (world, command) => {
      world.write(deployed);
      await world.run("pulumi up");
      world.platform.clearRequests();
      // Change the program without deploying it: remove a number, the chat and the voice, and change the desk's agent.
      world.write(program(group(NUMBER), reception("agent_desk@4")));
      const npx = "npx pulumi-agent-platform abort";
      world.fill(npx, `AGENT_PLATFORM_ACCESS_TOKEN= ${npx}`);
      assert.match(await command("abort front", true), /AGP-013/);
      puts()(world);
      assertCallers(world, half);
      world.fill(npx, npx);
      await command("abort front");
      puts(NUMBER, SALES)(world);
      assertCallers(world, { "agent_front@12": 100 });
    });
  });

  it("requires a reason to abort a rollout during a freeze", () => {
    const notRun = commandsExcept("config set", "abort front", '4711" npx');
    return runRunbook(abortPage, { config, replacements, notRun }, async (world, command) => {
      world.write(deployed);
      await world.run("pulumi up");
      world.platform.clearRequests();
      await command("config set");
      world.write(deployed.replace("agent_desk@3", "agent_desk@4"));
      assert.match(await world.run("pulumi up", { fails: true }), /AGP-025/);
      await command("abort front", true);
      puts()(world);
      await command('4711" npx');
      puts(NUMBER, SALES)(world);
      assertCallers(world, { "agent_front@12": 100 });
    });
  });

  it("aborts to a different agent only if that agent is approved", () => {
    const approved = ["agent_front@12", "agent_front@13", "agent_desk@3"];
    const guarded = { ...config, "agent-platform:approvedAgents": JSON.stringify(approved) };
    return runRunbook(
      abortPage,
      { config: guarded, replacements, notRun: commandsExcept("--to") },
      async (world, command) => {
        world.write(deployed);
        await world.run("pulumi up");
        await command("--to", true);
        assertCallers(world, half);
        const extended = JSON.stringify([...approved, "agent_front@11"]);
        await world.run(`pulumi config set agent-platform:approvedAgents '${extended}'`);
        await command("--to");
        assertCallers(world, { "agent_front@11": 100 });
      },
    );
  });

  it("aborts a rollout after a killed run without sending an SMS", () => {
    const notRun = commandsExcept("abort front", "cancel");
    return runRunbook(abortPage, { config, replacements, notRun }, async (world, command) => {
      world.write(program(group(NUMBER, SALES), reception("agent_desk@3")));
      await world.run("pulumi up");
      world.platform.clearRequests();
      world.write(deployed);
      await killUp(world);
      world.platform.clearRequests();
      await command("abort front", true);
      await command("cancel");
      await command("abort front");
      assertCallers(world, { "agent_front@12": 100 });
      assertPosts(world, []);
    });
  });

  it("restores the previous split of a number that is not in a rollout", () => {
    const notRun = commandsExcept("show +1", '4711" pulumi up');
    return runRunbook(abortPage, { config, replacements, notRun }, async (world, command) => {
      const bad = deployed.replace("agent_desk@3", "agent_desk@4");
      world.write(deployed);
      await world.run("pulumi up");
      world.write(bad);
      await world.run("pulumi up");
      world.write(deployed);
      assert.match(await command("show +1"), /split now +agent_desk@3 100 ?%/);
      assertCallers(world, half);

      world.write(bad);
      await world.run("pulumi up && pulumi config set agent-platform:freeze audit");
      world.write(deployed);
      await world.run("pulumi up", { fails: true });
      await command('4711" pulumi up');
      assertCallers(world, half);
      assertPosts(world, ["addCommunityVoice", "createSmsChat"]);
    });
  });

  it("overwrites routing that was edited in the web application", () =>
    runRunbook(abortPage, { config, replacements, notRun: commandsExcept() }, async (world) => {
      const desk = "+15551234569";
      world.write(deployed);
      await world.run("pulumi up");
      await fetch(`${world.platform.url}/api/numbers/${encodeURIComponent(desk)}/agent`, {
        method: "PUT",
        headers: { authorization: "Bearer guide-token", "content-type": "application/json" },
        body: JSON.stringify({ inboundAgents: [{ agent_id: "agent_wrong", weight: 100 }] }),
      });
      routed(desk, { agent_wrong: 100 })(world);
      world.platform.clearRequests();
      await world.run("pulumi up");
      puts()(world);
      world.write(deployed.replace(`"agent_desk@3": 100 })`, `$&, triggers: { sentAgain: "incident 4711" }`));
      await world.run("pulumi up");
      puts(desk)(world);
      assertCallers(world, half);
    }));
});

describe("the runbook killed-run.md", () => {
  it("restores the original routing after a killed run", () =>
    runRunbook("docs/runbooks/killed-run.md", { notRun: ["pulumi destroy"] }, async (world, command) => {
      const support = (number: string) => assigned("support", number, `"agent_front@12": 100`);
      const sales = (more = "") => assigned("sales", SALES, `"agent_sales@3": 100`, more);
      world.write(program(support(NUMBER), sales()));
      await world.run("pulumi up");
      world.platform.clearRequests();
      // Kill a run that moves the phone number from `sales` to `support`.
      world.write(program(support(SALES)));
      await killUp(world);
      routed(SALES, { "agent_front@12": 100 })(world);

      assert.match(await command("doctor", true), /NumberAssignment "support"[\s\S]*creating/);
      assert.match(await command("show"), /may have agent_sales@3/);
      world.write(program(support(NUMBER), sales(`, triggers: { sentAgain: "2026-11-21" }`)));
      await command("pulumi cancel");
      await command("pulumi refresh");
      routed(NUMBER, { "agent_front@12": 100 })(world);
      routed(SALES, { "agent_sales@3": 100 })(world);
      assert.match(await world.run("npx pulumi-agent-platform doctor --stack dev"), /No problems found\./);
    }));

  it("does not send a second SMS after a killed run", () =>
    runRunbook("docs/runbooks/killed-run.md", { notRun: ["pulumi destroy"] }, async (world, command) => {
      world.write(chat());
      await killUp(world);
      await command("doctor", true);
      await command("show");
      world.write(chat(`, adopt: "${world.platform.chats[0]?.chatId}"`));
      await command("pulumi cancel");
      await command("pulumi refresh");
      assertPosts(world, ["createSmsChat"]);
    }));

  it("adopts a chat that is missing from the state", () =>
    runRunbook(
      "docs/runbooks/killed-run.md",
      { notRun: ["pulumi destroy", "pulumi cancel"] },
      async (world, command) => {
        world.write(chat());
        const output = await killDuring(world, "pulumi up", ({ role }) => role === "provider");
        assert.match(output, /error reading from server: EOF|transport is closing/);
        await command("doctor", true);
        await command("show");
        world.write(chat(`, adopt: "${world.platform.chats[0]?.chatId}"`));
        await command("pulumi refresh");
        assertPosts(world, ["createSmsChat"]);
      },
    ));

  it("completes a destroy that was killed", () =>
    runRunbook("docs/runbooks/killed-run.md", { notRun: ["pulumi refresh"] }, async (world, command) => {
      world.write(everything);
      await world.run("pulumi up");
      world.platform.clearRequests();
      await killDuring(world, "pulumi destroy");
      const findings = await command("doctor", true);
      assert.match(findings, /SmsChat "reminder"[\s\S]*pulumi cancel/);
      await command("show");
      await command("pulumi cancel");
      await command("pulumi destroy");
      assertPosts(world, ["endChat", "endChat"]);
      routed(NUMBER, {})(world);
    }));
});

describe("the runbook unresolved.md", () => {
  it("adopts an unresolved chat without sending a second SMS", () =>
    runRunbook("docs/runbooks/unresolved.md", {}, async (world, command) => {
      world.write(chat());
      world.platform.inject({ kind: "reset" });
      assert.match(await world.run("pulumi up", { fails: true }), /adopt: "<chatId>"/);
      await command("doctor", true);
      world.write(chat(`, adopt: "${world.platform.chats[0]?.chatId}"`));
      assert.match(await command("preview"), /replace/);
      await command("pulumi up");
      assertPosts(world, ["createSmsChat"]);
    }));

  it("retries a lost chat request exactly once", () =>
    runRunbook("docs/runbooks/unresolved.md", {}, async (world, command) => {
      world.write(chat());
      world.platform.inject({ kind: "reset", applied: false });
      const failed = await world.run("pulumi up", { fails: true });
      assert.deepEqual(world.platform.chats, [], "the platform has no chat yet");
      await command("doctor", true);
      world.write(chat(`, retryUnresolved: "${/unresolved-[\w-]+/.exec(failed)?.[0]}"`));
      await command("preview");
      await command("pulumi up");
      await world.run("pulumi up");
      assertPosts(world, ["createSmsChat", "createSmsChat"]);
      assert.equal(world.platform.chats.length, 1);
    }));
});

describe("the runbook stuck-delete.md", () => {
  const page = "docs/runbooks/stuck-delete.md";
  const desk = assigned("desk", SALES, `"agent_desk@3": 100`);
  /** A platform that clears a field only if the request omits it. It ignores null and empty values. */
  const emulator = {
    profile: { omittedFields: "replace", clearInbound: "none", clearOthers: "none", notClearing: "ignored" },
  } as const;
  const refusing = { profile: { ...emulator.profile, notClearing: "refused" } } as const;
  /** Returns `notRun` for a test that runs only the commands in `used`. Each string is a part of a line on the page. */
  const commandsExcept = (...used: readonly string[]) =>
    [
      "doctor",
      "show",
      "CLEAR_WITH=omit pulumi up",
      "CLEAR_WITH=omit pulumi destroy",
      "pulumi config set",
      "git add",
      "BYPASS",
      "pulumi config rm",
      "pulumi state delete",
    ].filter((command) => !used.includes(command));

  it("unassigns a removed number after a failed `pulumi up`", () => {
    const notRun = commandsExcept("doctor", "CLEAR_WITH=omit pulumi up", "pulumi config set");
    return runRunbook(page, { emulator: refusing, notRun }, async (world, command) => {
      world.write(program(assigned("support", NUMBER, `"agent_front@12": 100`), desk, ...chatAndVoice));
      await world.run("pulumi up");
      world.write(program(desk, ...chatAndVoice));
      assert.match(await world.run("pulumi up", { fails: true }), /AGP-052/);
      assert.match(await command("doctor", true), /pulumi up --stack dev/);
      await command("CLEAR_WITH=omit pulumi up");
      routed(NUMBER, {})(world);
      routed(SALES, { "agent_desk@3": 100 })(world);
      world.fill("<the value that worked>", "omit");
      await command("pulumi config set");
      await world.run("pulumi up --expect-no-changes");
      assertPosts(world, ["addCommunityVoice", "createSmsChat"]);
    });
  });

  it("unassigns a number after a failed `pulumi destroy`", () => {
    const notRun = commandsExcept("doctor", "CLEAR_WITH=omit pulumi destroy");
    return runRunbook(page, { emulator, notRun }, async (world, command) => {
      world.write(everything);
      await world.run("pulumi up");
      assert.match(await world.run("pulumi destroy", { fails: true }), /AGP-052/);
      routed(NUMBER, { "agent_front@12": 100 })(world);
      const findings = await command("doctor", true);
      assert.match(findings, /pulumi destroy --stack dev/);
      assert.doesNotMatch(findings, /(?:Do:|then) run `pulumi up/);
      await command("CLEAR_WITH=omit pulumi destroy");
      routed(NUMBER, {})(world);
      assertPosts(world, ["addCommunityVoice", "createSmsChat", "endChat"]);
    });
  });

  it("completes a destroy during a freeze if a bypass reason is given", () => {
    const notRun = commandsExcept("doctor", "BYPASS");
    return runRunbook(page, { notRun }, async (world, command) => {
      world.write(everything);
      await world.run("pulumi up\npulumi config set agent-platform:freeze audit\npulumi up");
      assert.match(await world.run("pulumi destroy --continue-on-error", { fails: true }), /AGP-025/);
      routed(NUMBER, { "agent_front@12": 100 })(world);
      const findings = await command("doctor", true);
      assert.doesNotMatch(findings, /(?:Do:|then) run `pulumi up/);
      await command("BYPASS");
      routed(NUMBER, {})(world);
      assertPosts(world, ["addCommunityVoice", "createSmsChat", "endChat"]);
    });
  });

  it("unassigns a removed number after a freeze ends", () => {
    const notRun = commandsExcept("show", "pulumi config rm");
    return runRunbook(page, { notRun }, async (world, command) => {
      world.write(program(assigned("support", NUMBER, `"agent_front@12": 100`), desk, ...chatAndVoice));
      await world.run("pulumi up\npulumi config set agent-platform:freeze audit");
      world.write(program(desk, ...chatAndVoice));
      assert.match(await world.run("pulumi up", { fails: true }), /AGP-025/);
      world.fill("+15551234567", NUMBER);
      await command("show");
      await command("pulumi config rm");
      routed(NUMBER, {})(world);
      assertPosts(world, ["addCommunityVoice", "createSmsChat"]);
    });
  });

  it("removes a number from the state without sending a request", () => {
    const notRun = commandsExcept("show", "pulumi state delete");
    return runRunbook(page, { emulator, notRun }, async (world, command) => {
      world.write(program(assigned("support", NUMBER, `"agent_front@12": 100`), desk));
      await world.run("pulumi up");
      world.write(program(desk));
      assert.match(await world.run("pulumi up", { fails: true }), /AGP-052/);
      world.fill("<urn>", /urn:\S+/.exec(await command("show"))?.[0] ?? "");
      world.platform.clearRequests();
      await command("state delete");
      await world.run("pulumi up --expect-no-changes");
      puts()(world);
    });
  });

  it("destroys a stack whose base URL was changed", async () => {
    const newPlatform = await startEmulator({ token: "guide-token" });
    const notRun = commandsExcept("doctor", "pulumi state delete");
    await runRunbook(page, { notRun }, async (world, command) => {
      world.write(everything);
      await world.run(`pulumi up && pulumi config set agent-platform:baseUrl ${newPlatform.url} && pulumi up`);
      const failed = await world.run("pulumi destroy --continue-on-error", { fails: true });
      assert.match(failed, /AGP-060/);
      await world.run(`pulumi config set agent-platform:baseUrl ${world.platform.url}`);
      assert.match(await world.run("pulumi destroy --continue-on-error", { fails: true }), /AGP-060/);
      await command("doctor", true);
      world.fill("<urn>", /urn:\S+SmsChat::reminder/.exec(await world.run("pulumi stack --show-urns"))?.[0] ?? "");
      await command("pulumi state delete");
      await world.run("pulumi destroy");
      assert.deepEqual(newPlatform.routing(NUMBER)?.inboundAgents ?? {}, {}, "the number's agents on the new platform");
      assertPosts(world, ["addCommunityVoice", "createSmsChat"]);
    }).finally(() => newPlatform.close());
  });
});
