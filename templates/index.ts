import { Config } from "@pulumi/pulumi";
import { NumberGroup } from "pulumi-agent-platform";

// To send every routing again, set a new value: pulumi config set reassert 2
const triggers = { reassert: new Config().get("reassert") ?? "" };

// The stack's config sets the agents that answer calls to these numbers, under agent-platform:rollouts.
const support = new NumberGroup("support", {
  // Don't use a number in more than one stack's config, because the stacks would overwrite each other's routing.
  numbers: new Config().requireObject<string[]>("numbers"),
  rollout: "front",
  triggers,
});

export const inboundAgents = support.inboundAgents;
