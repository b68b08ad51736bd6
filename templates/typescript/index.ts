import { Config } from "@pulumi/pulumi";
import { NumberGroup } from "pulumi-agent-platform";

// A new value sends every routing again. The pipeline's Re-assert sets it.
const triggers = { reassert: new Config().get("reassert") ?? "" };

// Nine of ten calls go to version 12, one to version 13. To shift traffic, change the 10 in a pull request.
const support = new NumberGroup("support", {
  numbers: {
    "+15551230001": "London support",
    "+15551230002": "Berlin support",
  },
  rollout: { stable: "agent_front@12", candidate: "agent_front@13", percent: 10 },
  triggers,
});

export const split = support.inboundAgents;
