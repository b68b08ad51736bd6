import {
  Broken,
  type Continued,
  clearsNothing,
  clearsNothingSkipped,
  failing,
  rejected,
  type Slip,
  withInline,
} from "./failingPrograms";

const SLIPS: readonly Slip[] = [
  // Arguments that reject: a webhook, metadata
  {
    args: () => ({ inboundWebhookUrl: rejected() }),
    chat: () => ({ metadata: { a: failing() } }),
  },
  // A resource of another provider, in a run that continues, and all is declared in an apply over it
  {
    within: (declare) => void new Broken("broken", {}).id.apply(declare),
    said: /an outage/,
    up: { continueOnError: true },
  },
];

describe("an inline program that fails", () => {
  it("sends nothing and clears nothing", () =>
    withInline(async (run) => {
      for (const slip of SLIPS) {
        await clearsNothing(run, slip);
      }
    }));
});

/** In an apply, in one over all, in a group, over what was skipped, and behind an await. */
const CONTINUED: Continued = {
  imports: 'import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";',
  program: `
  const office = new pulumi.ComponentResource("phones:index:Office", "office");
  const inOffice = new Flag("inOffice", isBroken, { parent: office });
  const skipped = new Flag("skipped", false, { dependsOn: [inOffice] });
  new NumberAssignment("always", { number: "4001", inboundAgents });
  flag.on.apply(() => new NumberAssignment("apply", { number: "4002", inboundAgents }));
  pulumi.all([flag.on, "x"]).apply(() => new NumberAssignment("all", { number: "4003", inboundAgents }));
  inOffice.on.apply(() => new NumberGroup("group", { numbers: ["4004", "4005"], inboundAgents }));
  skipped.on.apply(() => new NumberAssignment("skipped", { number: "4006", inboundAgents }));
  module.exports = (async () => {
    // It never goes on if the value stays unknown.
    await new Promise((resolve) => flag.on.apply(resolve));
    new NumberAssignment("awaited", { number: "4007", inboundAgents });
  })();`,
  numbers: ["4001", "4002", "4003", "4004", "4005", "4006", "4007"],
  waiting: ["all", "apply", "awaited", "group", "skipped"],
};

describe("a run that continues after a resource of another provider has failed", () => {
  it("clears nothing of what the program then does not declare", () => clearsNothingSkipped(CONTINUED));
});
