import { defineLifecycleTests } from "./everyResource";

describe("all resources in the real Pulumi engine", () => defineLifecycleTests());
