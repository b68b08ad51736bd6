import type { dynamic } from "@pulumi/pulumi";
import { dynamicProvider } from "./engine/provider";
import * as numbers from "./numbers/lifecycle";
import * as posts from "./posts/kinds";

/**
 * Every saved state contains a line of code that loads this file and one of its exports by name, so these names must
 * never change. The exports are typed with the SDK's interface, so that compiling a program doesn't load the provider's
 * own types.
 */
export const numberAssignment: dynamic.ResourceProvider = dynamicProvider(numbers.numberAssignment);
export const numberGroup: dynamic.ResourceProvider = dynamicProvider(numbers.numberGroup);
export const communityVoice: dynamic.ResourceProvider = dynamicProvider(posts.communityVoice);
export const smsChat: dynamic.ResourceProvider = dynamicProvider(posts.smsChat);
