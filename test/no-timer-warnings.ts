/** kafkajs asks for timers in the past, of which Node warns: in tests it is left out as it is in services. */
import { sayWarnings } from '@mandate/runtime/say-warnings';

sayWarnings(process, console.warn);
