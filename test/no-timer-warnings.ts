/** kafkajs sets timers in the past, and Node warns about them. Tests suppress this warning as services do. */
import { sayWarnings } from '@mandate/runtime/say-warnings';

sayWarnings(process, console.warn);
