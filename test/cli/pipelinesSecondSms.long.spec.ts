import assert from "node:assert/strict";
import { killAll } from "../support/engineProcesses";
import { applied, github, pipeline, share, splitOf } from "./pipelineJobs";
import { type PipelineProject, program } from "./pipelineProject";

const chat = `
  import { SmsChat } from "pulumi-agent-platform";
  new SmsChat("a reminder", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550009999" });`;

/** A deployment is killed while its SMS is on its way, and while a number is assigned: both have reached the platform. */
async function killWhileSending({ job, stack, emulator, commit }: PipelineProject, source: string, env: object) {
  await commit(source, "a reminder, and 30 %");
  const held = emulator.inject({ kind: "hold", applied: true, times: 2 });
  const run = job(["sh scripts/up.sh"], { ...env });
  await emulator.waitForRequests(2);
  killAll(stack.processes());
  held.release();
  assert.notEqual((await run).code, 0);
  await job(['pulumi cancel --stack "$STACK" --yes']);
  assert.equal(emulator.chats.length, 1);
  emulator.clearFaults();
  emulator.clearRequests();
}

const STOPPED =
  'A voice or a chat may have been sent, and `pulumi up` would send it again: do what is said above. If it was not sent, start this job by hand with a reason in "send_again" (SEND_AGAIN).\n';

describe("the pipelines, after a run that was killed while it sent an SMS", () => {
  it("stop before the second one, abort without it, and send it at a person's word", () =>
    pipeline({}, async (project, host) => {
      const { job, merge, emulator, git } = project;
      const { deploy } = github(host, project);
      await applied(project);
      await merge(20);
      const source = `${program(30)}${chat}`;
      await killWhileSending(project, source, deploy);

      const stopped = await job(["sh scripts/up.sh"], deploy);
      assert.equal(stopped.code, 3, stopped.output);
      assert.ok(stopped.output.endsWith(`${STOPPED}Stopped: nothing was applied.\n`), stopped.output);
      assert.match(stopped.output, /SmsChat "a reminder": a run was stopped while it was creating this/);
      assert.equal(emulator.requests.length, 0);

      // Taken back at night: callers do not wait for the chat.
      project.stack.write(`${program(5)}${chat}`);
      await git("commit", "--quiet", "--all", "--message", "back");
      const urgent = await job(["sh scripts/up.sh"], { ...deploy, URGENT: "1" });
      assert.equal(urgent.code, 3, urgent.output);
      assert.ok(urgent.output.includes(`${STOPPED}The rest is applied without voices and chats.\n`));
      assert.deepEqual(splitOf(project), share(5));
      assert.equal(emulator.chats.length, 1);
      assert.equal((await job(["sh scripts/up.sh"], deploy)).code, 3);

      const again = await job(["sh scripts/up.sh"], { ...deploy, SEND_AGAIN: "not in the web application: Kim" });
      assert.equal(again.code, 0, again.output);
      assert.ok(
        again.output.includes(
          "Sent again, although an earlier run may have sent it: not in the web application: Kim\n",
        ),
      );
      assert.equal(emulator.chats.length, 2);
      // The engine keeps the entry, and doctor knows that it was settled.
      const settled = await job(["sh scripts/up.sh"], deploy);
      assert.equal(settled.code, 0, settled.output);
      assert.equal(emulator.chats.length, 2);
    }));
});
