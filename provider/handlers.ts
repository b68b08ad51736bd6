import { dynamicHandler } from "./engine/provider";
import { LIFECYCLES } from "./lifecycles";

/** The text of the provider in every saved state loads this file by these names, so they must not change. */
export const numberAssignment = dynamicHandler(LIFECYCLES.NumberAssignment);
export const numberGroup = dynamicHandler(LIFECYCLES.NumberGroup);
export const communityVoice = dynamicHandler(LIFECYCLES.CommunityVoice);
export const smsChat = dynamicHandler(LIFECYCLES.SmsChat);
