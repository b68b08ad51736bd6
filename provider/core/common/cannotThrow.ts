declare const CANNOT_THROW: unique symbol;

/** A function that never throws. `cannotThrow` alone makes one. So the type shows what may be called after a request, when what was sent still has to be saved. */
export type CannotThrow<Work extends (...given: never[]) => unknown> = Work & { readonly [CANNOT_THROW]: true };

export const cannotThrow = <Given extends unknown[]>(
  work: (...given: Given) => void,
): CannotThrow<(...given: Given) => void> => {
  const safe = (...given: Given): void => {
    try {
      work(...given);
    } catch {
      // Nothing is left that could tell it.
    }
  };
  return safe as CannotThrow<(...given: Given) => void>;
};
