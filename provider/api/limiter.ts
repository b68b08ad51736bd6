import type { Clock } from "../base/world";

/**
 * Which operation may send, and when. So many operations are under way as there are slots; the others wait in the order
 * of their arrival. After a 429 all wait. Then requests are 50 ms apart, and twice as far apart after each further 429,
 * at most a second. The distance stays for the rest of the run. Cost: a platform that takes more than 20 requests a
 * second gets no more after its first 429.
 */
export class Limiter {
  readonly #clock: Clock;
  readonly #queue: (() => void)[] = [];
  #freeSlots: number;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #nextAt = Number.NEGATIVE_INFINITY;
  #distanceMs = 0;

  constructor(slots: number, clock: Clock) {
    this.#freeSlots = slots;
    this.#clock = clock;
  }

  /** Takes a slot for an operation, which keeps it from its first attempt to its last. */
  async enter(): Promise<void> {
    if (this.#freeSlots > 0) {
      this.#freeSlots -= 1;
      return;
    }
    await new Promise<void>((begin) => this.#queue.push(begin));
  }

  leave(): void {
    const begin = this.#queue.shift();
    if (begin === undefined) {
      this.#freeSlots += 1;
    } else {
      begin();
    }
  }

  /**
   * Waits until an attempt may be sent. Several may wait: the first that wakes up takes the turn, and the others wait
   * again.
   */
  async takeTurn(): Promise<void> {
    for (;;) {
      const now = this.#clock.now();
      const readyAt = Math.max(this.#pausedUntil, this.#nextAt);
      if (readyAt <= now) {
        this.#nextAt = now + this.#distanceMs;
        return;
      }
      await this.#clock.delay(readyAt - now);
    }
  }

  /**
   * After a 429. @param sentAt when the request was sent: those that were under way before the pause tell of the same
   * limit
   */
  pause(sentAt: number, milliseconds: number): void {
    if (sentAt >= this.#pausedUntil) {
      this.#distanceMs = Math.min(1000, this.#distanceMs * 2 || 50);
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + milliseconds);
  }
}
