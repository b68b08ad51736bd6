const { NumberAssignment, NumberGroup, split } = require("pulumi-agent-platform");

const support = new NumberGroup("support", {
  numbers: { "+15551230001": "London", "+15551230002": "Berlin" },
  rollout: "front",
});

const night = new NumberAssignment("night", {
  number: "+15551230003",
  inboundAgents: split({ "agent_night@4": 100 }),
});

exports.support = support.inboundAgents;
exports.night = night.inboundAgents;
