/** Suppresses a warning of Node, as services do: kafkajs sets timers in the past, and Node warns about them. */
import { sayWarnings } from '@mandate/runtime/say-warnings';

sayWarnings(process, console.warn);
