import { dynamicHandler } from "./pulumi/dynamicHandler";
import { communityVoice as voice } from "./resources/communityVoice";
import { numberAssignment as number } from "./resources/numberAssignment";
import { numberGroup as group } from "./resources/numberGroup";
import { smsChat as chat } from "./resources/smsChat";

/** The text of the provider in every saved state loads this file by these names, so they must not change. */
export const numberAssignment = dynamicHandler(number);
export const numberGroup = dynamicHandler(group);
export const communityVoice = dynamicHandler(voice);
export const smsChat = dynamicHandler(chat);
