import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { killAll, processesWith } from "../support/engineProcesses";
import { runRunbook, type World } from "./guide";
import { NUMBER, puts, routed } from "./steps";

/** Each runbook in the situation that it is for: its commands, and the platform's own store as the judge. */

/** `pulumi up`, killed with all its processes after the platform has acted and before it could answer. */
const killedUp = async ({ platform, project, run }: World) => {
  const held = platform.inject({ kind: "hold", times: "always" });
  const running = run("pulumi up", { fails: true });
  await platform.waitForRequests(1);
  killAll(processesWith("PULUMI_HOME", project.env.PULUMI_HOME ?? ""));
  await running;
  held.release();
};

const SALES = "+15551234568";

const assigned = (name: string, number: string, split: string, more = ""): string =>
  `new NumberAssignment("${name}", { number: "${number}", inboundAgents: split({ ${split} })${more} });`;

const program = (...resources: readonly string[]): string =>
  `import { NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";\n${resources.join("\n")}`;

const chat = (more = ""): string =>
  program(
    `new SmsChat("reminder", { workspaceId: 42, agentId: "chat_agent_reminder", fromNumber: "${NUMBER}", toNumber: "${SALES}"${more} });`,
  );

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
    runRunbook("docs/runbooks/killed-run.md", {}, async (world, command) => {
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

  it("unresolved.md: sent once in all", () =>
    runRunbook("docs/runbooks/unresolved.md", {}, async (world, command) => {
      world.write(chat());
      world.platform.inject({ kind: "reset" });
      assert.match(await world.run("pulumi up", { fails: true }), /adopt: "<chatId>"/);
      await command("doctor", true);
      world.write(chat(`, adopt: "${world.platform.chats[0]?.chatId}"`));
      assert.match(await command("preview"), /replace/);
      await command("pulumi up");
      assert.deepEqual(
        world.platform.requests.map(({ operation }) => operation),
        ["createSmsChat"],
      );
    }));

  it("stuck-delete.md: the way of clearing is named, or the state forgets", () =>
    runRunbook("docs/runbooks/stuck-delete.md", { filled: { "<form>": "empty" } }, async (world, command) => {
      const desk = assigned("desk", SALES, `"agent_desk@3": 100`);
      const both = program(assigned("support", NUMBER, `"agent_front@12": 100`), desk);
      const stuck = async () => {
        world.write(both);
        await world.run("pulumi config set agent-platform:clearWith omit\npulumi up");
        world.write(program(desk));
        assert.match(await world.run("pulumi up", { fails: true }), /AGP-052/);
      };
      await stuck();
      await command("doctor", true);
      await command("clearWith");
      routed(NUMBER, {})(world);

      await stuck();
      world.fill("<urn>", /urn:\S+/.exec(await command("show"))?.[0] ?? "");
      world.platform.clearRequests();
      await command("state delete");
      puts()(world);
    }));
});
