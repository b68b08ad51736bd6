import assert from "node:assert/strict";
import { killAll, processesWith } from "../support/engineProcesses";
import type { Step, World } from "./guide";

/** What is done at comments that several pages have. */

export const NUMBER = "+15551234567";

/** A PUT for each of these numbers since the last look, in any order, and no other request. */
export const puts =
  (...numbers: readonly string[]): Step =>
  ({ platform }) => {
    const sent = platform.requests.map(({ method, path }) => `${method} ${decodeURIComponent(path)}`);
    assert.deepEqual(
      sent.sort(),
      numbers.map((number) => `PUT /api/numbers/${number}/agent`),
    );
    platform.clearRequests();
  };

export const nothingSent: Step = (world) => void puts()(world);

export const routed =
  (number: string, split: Readonly<Record<string, number>>): Step =>
  ({ platform }) =>
    void assert.deepEqual(platform.routing(number)?.inboundAgents, split);

/** `pulumi up`, killed with all its processes after the platform has acted and before it could answer. */
export const killedUp: Step = async ({ platform, project, run }: World) => {
  const held = platform.inject({ kind: "hold", times: "always" });
  const running = run("pulumi up", { fails: true });
  await platform.waitForRequests(1);
  killAll(processesWith("PULUMI_HOME", project.env.PULUMI_HOME ?? ""));
  await running;
  held.release();
};
