import type { Emulator } from "../emulator";
import { newStack, type StackOptions } from "../test/support/engine";
import { type Declared, type Program, placeLeast, pulumiRun } from "./programs";

/** The same numbers from their first run to their last one, in one of the ways. */
export interface Life {
  /** With this weight for all numbers: how many seconds it took. */
  up(weight: number): Promise<number>;
  destroy(): Promise<number>;
  stateBytes(): number;
  remove(): Promise<void>;
}

export type StartLife = (numbers: readonly string[], emulator: Emulator) => Promise<Life>;

export function pulumiLife(
  programs: (declared: Declared, url: string) => Program,
  { env, config }: Pick<StackOptions, "env" | "config"> = {},
): StartLife {
  return async (numbers, emulator) => {
    const programOf = (weight: number) => programs({ numbers, weight }, emulator.url);
    const stack = await newStack({
      program: programOf(90),
      config: { "agent-platform:baseUrl": emulator.url, ...config },
      env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token, ...env },
    });
    placeLeast(stack);
    return {
      up(weight) {
        stack.write(programOf(weight));
        return pulumiRun(stack, "up");
      },
      destroy: () => pulumiRun(stack, "destroy"),
      stateBytes: () => stack.stateText().length,
      remove: stack.remove,
    };
  };
}
