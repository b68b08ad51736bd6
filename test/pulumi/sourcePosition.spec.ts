import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { describe, it } from "mocha";
import { NumberAssignment, split } from "../../provider";

interface Registering {
  registerResource(
    request: { getSourceposition(): { getUri(): string; getLine(): number } },
    ...rest: unknown[]
  ): unknown;
}

describe("a resource of the program", () => {
  it("says to the engine where it was declared", async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
      call: () => ({}),
    });
    const monitor = pulumi.runtime.getMonitor() as unknown as Registering;
    const register = monitor.registerResource.bind(monitor);
    const seen: string[] = [];
    monitor.registerResource = (request, ...rest) => {
      const position = request.getSourceposition();
      seen.push(`${position.getUri().split("/").at(-1)}:${position.getLine()}`);
      return register(request, ...rest);
    };
    const inboundAgents = split({ "agent_front@12": 1 });
    const here = Number(/sourcePosition\.spec\.ts:(\d+)/.exec(String(new Error().stack))?.[1]);
    const { urn } = new NumberAssignment("here", { number: "4001", inboundAgents });
    await new Promise((resolve) => urn.apply(resolve));
    assert.deepEqual(seen, [`sourcePosition.spec.ts:${here + 1}`]);
  });
});
