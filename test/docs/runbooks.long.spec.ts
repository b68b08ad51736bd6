import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { killAll, processesWith } from "../support/engineProcesses";
import { runRunbook, type World } from "./guide";
import { NUMBER, puts, routed } from "./steps";

/** Each runbook in the situation that it is for: its commands, and the platform's own store as the judge. */

/** A command, killed with all its processes after the platform has acted and before it could answer. */
const killed = async ({ platform, project, run }: World, command: string) => {
  const held = platform.inject({ kind: "hold", times: "always" });
  const running = run(command, { fails: true });
  await platform.waitForRequests(1);
  killAll(processesWith("PULUMI_HOME", project.env.PULUMI_HOME ?? ""));
  await running;
  held.release();
};

const killedUp = (world: World) => killed(world, "pulumi up");

/** Every POST of the test: a voice, an SMS or the end of a chat that is sent twice reaches a person. */
const sentPosts = ({ platform }: World, operations: readonly string[]) =>
  assert.deepEqual(
    platform.requests
      .filter(({ method }) => method === "POST")
      .map(({ operation }) => operation)
      .sort(),
    operations,
    "the POSTs that the platform got",
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

describe("docs/runbooks", () => {
  it("wrong-agents.md: an abort reaches what can be reached, a revert goes back", () => {
    const group = program(
      `new NumberGroup("front", { numbers: ["${NUMBER}", "${SALES}"], rollout: "front" });`,
      assigned("desk", "+15551234569", `"agent_desk@3": 100`),
    );
    const config = {
      "agent-platform:rollouts": { front: { stable: "agent_front@12", candidate: "agent_front@13", percent: 50 } },
    };
    const page = "docs/runbooks/wrong-agents.md";
    // The reader's folder is a clone.
    const filled = { "+15551234567": "+15551234569", "git pull --ff-only && ": "" };
    return runRunbook(page, { config, filled }, async (world, command) => {
      world.write(group);
      await world.run("pulumi up");
      const refused = world.platform.inject({ kind: "status", status: 422, number: NUMBER, times: 1 });
      assert.match(await command("abort front", true), /1 of 2 applied/);
      assert.equal(refused.hits, 1);
      routed(SALES, { "agent_front@12": 100 })(world);
      assert.match(await command("doctor", true), /\+15551234567/);
      await command("abort front");
      routed(NUMBER, { "agent_front@12": 100 })(world);

      world.write(group.replace("agent_desk@3", "agent_desk@4"));
      await world.run("pulumi up");
      world.write(group);
      assert.match(await command("pulumi up"), /split now +agent_desk@3 100 %[\s\S]*split before +agent_desk@4 100 %/);
      routed("+15551234569", { "agent_desk@3": 100 })(world);
    });
  });

  it("killed-run.md: a program reverted after the kill sends its agents again", () =>
    runRunbook("docs/runbooks/killed-run.md", { notRun: ["pulumi destroy"] }, async (world, command) => {
      const support = (number: string) => assigned("support", number, `"agent_front@12": 100`);
      const sales = (more = "") => assigned("sales", SALES, `"agent_sales@3": 100`, more);
      world.write(program(support(NUMBER), sales()));
      await world.run("pulumi up");
      world.platform.clearRequests();
      // `support` was about to get the number of `sales`.
      world.write(program(support(SALES)));
      await killedUp(world);
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

  it("killed-run.md: a killed run that has sent an SMS sends no second one", () =>
    runRunbook("docs/runbooks/killed-run.md", { notRun: ["pulumi destroy"] }, async (world, command) => {
      world.write(chat());
      await killedUp(world);
      await command("doctor", true);
      await command("show");
      world.write(chat(`, adopt: "${world.platform.chats[0]?.chatId}"`));
      await command("pulumi cancel");
      await command("pulumi refresh");
      sentPosts(world, ["createSmsChat"]);
    }));

  it("killed-run.md: a destroy that was killed goes on as a destroy", () =>
    runRunbook("docs/runbooks/killed-run.md", { notRun: ["pulumi refresh"] }, async (world, command) => {
      world.write(everything);
      await world.run("pulumi up");
      world.platform.clearRequests();
      await killed(world, "pulumi destroy");
      await command("doctor", true);
      await command("show");
      await command("pulumi cancel");
      await command("pulumi destroy");
      sentPosts(world, ["endChat", "endChat"]);
      routed(NUMBER, {})(world);
    }));

  it("unresolved.md: a chat that exists is adopted, so the SMS is sent once in all", () =>
    runRunbook("docs/runbooks/unresolved.md", {}, async (world, command) => {
      world.write(chat());
      world.platform.inject({ kind: "reset" });
      assert.match(await world.run("pulumi up", { fails: true }), /adopt: "<chatId>"/);
      await command("doctor", true);
      world.write(chat(`, adopt: "${world.platform.chats[0]?.chatId}"`));
      assert.match(await command("preview"), /replace/);
      await command("pulumi up");
      sentPosts(world, ["createSmsChat"]);
    }));

  it("unresolved.md: a chat that does not exist is started by one more request", () =>
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
      sentPosts(world, ["createSmsChat", "createSmsChat"]);
      assert.equal(world.platform.chats.length, 1);
    }));

  const page = "docs/runbooks/stuck-delete.md";
  const desk = assigned("desk", SALES, `"agent_desk@3": 100`);
  /** A platform that clears a field that is left out, and no other. */
  const emulator = {
    profile: { omittedFields: "replace", clearInbound: "none", clearOthers: "none", notClearing: "ignored" },
  } as const;
  /** The commands of the page for the other situations. */
  const others = (...used: readonly string[]) =>
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

  it("stuck-delete.md: after a failed `up`, the next `up` clears the number", () => {
    const notRun = others("doctor", "CLEAR_WITH=omit pulumi up", "pulumi config set");
    return runRunbook(page, { emulator, notRun }, async (world, command) => {
      world.write(program(assigned("support", NUMBER, `"agent_front@12": 100`), desk, ...chatAndVoice));
      await world.run("pulumi up");
      world.write(program(desk, ...chatAndVoice));
      assert.match(await world.run("pulumi up", { fails: true }), /AGP-052/);
      assert.match(await command("doctor", true), /pulumi up --stack dev/);
      await command("CLEAR_WITH=omit pulumi up");
      routed(NUMBER, {})(world);
      routed(SALES, { "agent_desk@3": 100 })(world);
      await command("pulumi config set");
      await world.run("pulumi up --expect-no-changes");
      sentPosts(world, ["addCommunityVoice", "createSmsChat"]);
    });
  });

  it("stuck-delete.md: after a failed `destroy`, the next `destroy` clears the number, and sends no SMS", () => {
    const notRun = others("doctor", "CLEAR_WITH=omit pulumi destroy");
    return runRunbook(page, { emulator, notRun }, async (world, command) => {
      world.write(everything);
      await world.run("pulumi up");
      assert.match(await world.run("pulumi destroy", { fails: true }), /AGP-052/);
      routed(NUMBER, { "agent_front@12": 100 })(world);
      const found = await command("doctor", true);
      assert.match(found, /pulumi destroy --stack dev/);
      assert.doesNotMatch(found, /`pulumi up/);
      await command("CLEAR_WITH=omit pulumi destroy");
      routed(NUMBER, {})(world);
      sentPosts(world, ["addCommunityVoice", "createSmsChat", "endChat"]);
    });
  });

  it("stuck-delete.md: a destroy that a freeze refused goes on with a reason, and adds no voice again", () => {
    const notRun = others("doctor", "BYPASS");
    return runRunbook(page, { notRun }, async (world, command) => {
      world.write(everything);
      await world.run("pulumi up\npulumi config set agent-platform:freeze audit\npulumi up");
      assert.match(await world.run("pulumi destroy --continue-on-error", { fails: true }), /AGP-025/);
      routed(NUMBER, { "agent_front@12": 100 })(world);
      const found = await command("doctor", true);
      assert.doesNotMatch(found, /`pulumi up/);
      await command("BYPASS");
      routed(NUMBER, {})(world);
      sentPosts(world, ["addCommunityVoice", "createSmsChat", "endChat"]);
    });
  });

  it("stuck-delete.md: an `up` that a freeze refused goes on without the freeze", () => {
    const notRun = others("show", "pulumi config rm");
    return runRunbook(page, { notRun }, async (world, command) => {
      world.write(program(assigned("support", NUMBER, `"agent_front@12": 100`), desk, ...chatAndVoice));
      await world.run("pulumi up\npulumi config set agent-platform:freeze audit");
      world.write(program(desk, ...chatAndVoice));
      assert.match(await world.run("pulumi up", { fails: true }), /AGP-025/);
      world.fill("+15551234567", NUMBER);
      await command("show");
      await command("pulumi config rm");
      routed(NUMBER, {})(world);
      sentPosts(world, ["addCommunityVoice", "createSmsChat"]);
    });
  });

  it("stuck-delete.md: the state forgets a number, and nothing is sent", () => {
    const notRun = others("show", "pulumi state delete");
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
});
