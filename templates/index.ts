import { Config } from "@pulumi/pulumi";
import { NumberGroup } from "pulumi-agent-platform";

// A new value sends every routing again: pulumi config set reassert 2
const triggers = { reassert: new Config().get("reassert") ?? "" };

// Who answers is in the stack's config, under agent-platform:rollouts.
const support = new NumberGroup("support", {
  // Each stack has numbers of its own, in its config. Two stacks with the same number would overwrite each other.
  numbers: new Config().requireObject<string[]>("numbers"),
  rollout: "front",
  triggers,
});

export const inboundAgents = support.inboundAgents;
