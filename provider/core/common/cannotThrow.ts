declare const CANNOT_THROW: unique symbol;

/** A function that never throws. `cannotThrow` alone makes one. So the type shows what may be called after a request, when what was sent still has to be saved. */
export type CannotThrow<Work extends (...given: never[]) => unknown> = Work & { readonly [CANNOT_THROW]: true };

/** @param instead what happens if the work throws; if this throws as well, nothing more happens */
export const cannotThrow = <Given extends unknown[]>(
  work: (...given: Given) => void,
  instead: (error: unknown) => void = () => {},
): CannotThrow<(...given: Given) => void> => {
  const safe = (...given: Given): void => {
    try {
      work(...given);
    } catch (error) {
      try {
        instead(error);
      } catch {
        // Nothing is left that could tell it.
      }
    }
  };
  return safe as CannotThrow<(...given: Given) => void>;
};
