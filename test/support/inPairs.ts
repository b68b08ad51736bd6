import { it } from "mocha";

/**
 * An `it` whose tests each begin the next one, so that two are under way: a run of the real engine leaves half of a machine of
 * two cores idle. For tests that share nothing.
 */
export function inPairs(): (title: string, work: () => Promise<unknown>) => void {
  const works: (() => Promise<unknown>)[] = [];
  const begun: Promise<unknown>[] = [];
  const begin = (index: number) => {
    begun[index] ??= works[index]?.() ?? Promise.resolve();
    return begun[index];
  };
  return (title, work) => {
    const index = works.push(work) - 1;
    it(title, () => {
      const own = begin(index);
      // What fails is told by its own test.
      begin(index + 1).catch(() => {});
      return own;
    });
  };
}
