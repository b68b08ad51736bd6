import type { Clock } from "../base/world";

/**
 * Limits how many operations run at once, and slows all of them down after a 429. From then on, requests are at least
 * 50 ms apart. Each further 429 doubles this interval, up to one second. The interval never shrinks, even if the
 * platform could take more requests.
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

  /**
   * Takes one of the slots for operations, or waits until one is free. An operation keeps its slot from its first
   * attempt to its last, and then calls `leave`.
   */
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
   * Waits until an attempt may be sent. If several attempts are waiting, the first one to wake up is sent, and the
   * others wait again.
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
   * Pauses all operations after a 429, and makes the interval between later requests longer.
   * @param sentAt when the request that got the 429 was sent. If it was already in flight when the current pause began,
   * its 429 says nothing new, so the interval stays the same.
   */
  pause(sentAt: number, milliseconds: number): void {
    if (sentAt >= this.#pausedUntil) {
      this.#distanceMs = Math.min(1000, this.#distanceMs * 2 || 50);
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + milliseconds);
  }
}
