import { everyResourceLives } from "./everyResource";

describe("all resources through the real engine", () => everyResourceLives());
