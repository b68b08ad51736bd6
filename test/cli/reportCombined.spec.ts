import { A, line, NO_GUARDS, single, told } from "./reportSteps";

describe("the report of many resources with one routing", () => {
  told(
    "is one card, though the class tells the name of each resource in a hidden input",
    single("create", "one", undefined, line("+1", A)),
    single("create", "two", undefined, line("+2", A)),
  )`
    First assignment overwrites 2 numbers with agent_a@1 100 %
    - Overwritten: the routing that these 2 numbers have today. It cannot be read back: write down the values of the platform's web application before you merge.
    - Not declared: outboundAgentId, inboundWebhookUrl, isTimeRoutingEnabled. The API does not specify whether a PUT keeps or clears them.
    - ${NO_GUARDS}
    sends: 2 PUTs.
  `;
});
