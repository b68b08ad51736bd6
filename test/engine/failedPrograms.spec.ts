import { CONTINUED, clearsNothing, clearsNothingSkipped, failing, rejected, withInline } from "./failingPrograms";

describe("an inline program of which an argument rejects", () => {
  it("sends nothing and clears nothing", () =>
    withInline((run) =>
      clearsNothing(run, {
        args: () => ({ inboundWebhookUrl: rejected() }),
        chat: () => ({ metadata: { a: failing() } }),
      }),
    ));
});

describe("a run that continues after a resource of another provider has failed", () => {
  it("clears nothing of what the program then does not declare", () => clearsNothingSkipped(CONTINUED));
});
