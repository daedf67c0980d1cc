/**
 * Publishes lists of actions in an endless loop. Each list waits long for its decisions, and many lists share one
 * connection.
 */
import type { Attack } from './attack.ts';
import { keepOpen, keyOf } from './keep-open.ts';

const ACTIONS = 100;
const AT_ONCE = 20;
const AGAIN_MS = 200;

/** @param many the number of connections for each key */
export function waitingRequests(many = 20): Attack {
  let named = 0;
  const list = () => {
    named += 1;
    const actions = Array.from({ length: ACTIONS }, (_, n) => ({
      id: `waits-${named}-${n}`,
      agentId: `agent-${n}`,
      type: 'tool_call',
      tool: 'look',
    }));
    return JSON.stringify(actions);
  };
  return (target, until) =>
    keepOpen(target, until, {
      many: many * target.keys.length,
      speak(socket, nth) {
        const head = `POST /v1/actions?waitMs=60000 HTTP/1.1\r\nhost: x\r\n${keyOf(target, nth)}content-type: application/json\r\n`;
        const publish = () => {
          for (let sent = 0; sent < AT_ONCE && !socket.writableNeedDrain; sent += 1) {
            const body = list();
            socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
          }
        };
        publish();
        const again = setInterval(publish, AGAIN_MS);
        return () => clearInterval(again);
      },
    });
}
