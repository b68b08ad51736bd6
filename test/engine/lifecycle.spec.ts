import { everyResourceLives } from "./everyResource";

describe("all resources in the real Pulumi engine", () => everyResourceLives());
