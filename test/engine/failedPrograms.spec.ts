import {
  Broken,
  CONTINUED,
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

describe("a run that continues after a resource of another provider has failed", () => {
  it("clears nothing of what the program then does not declare", () => clearsNothingSkipped(CONTINUED));
});
