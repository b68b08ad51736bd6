import { describe, it } from "mocha";
import { BUSY_MACHINE_MS, liveAll } from "./all";
import { holderChapters } from "./alphabet";

describe("every life of two changes with one fault, of two resources that hold two numbers", () => {
  it("leaves no number without its agents, sends nothing twice, and comes to rest", function () {
    this.timeout(BUSY_MACHINE_MS);
    return liveAll("two holders", holderChapters(2), 10_000);
  });
});
