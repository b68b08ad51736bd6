import { describe, it } from "mocha";
import { BUSY_MACHINE_MS, liveAll } from "./all";
import { holderChapters, postChapters, rolloutChapters } from "./alphabet";

describe("every life of two changes with one fault", function () {
  this.timeout(BUSY_MACHINE_MS);

  it("of one resource and what takes its place comes to rest", () => liveAll("one holder", holderChapters(1), 7000));

  it("of chats and voices sends nothing twice", () => liveAll("chats and voices", postChapters(), 4500));

  it("of rollouts under guards passes no guard, and hears an abort", () =>
    liveAll("rollouts", rolloutChapters(), 7000));
});
