/** Keeps the events of a session, so that a client that was cut off gets the events which it missed. */
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

export function eventStore(): EventStore {
  const events: { streamId: string; message: JSONRPCMessage }[] = [];
  return {
    async storeEvent(streamId, message) {
      events.push({ streamId, message });
      return String(events.length);
    },
    async getStreamIdForEventId(eventId) {
      return events[Number(eventId) - 1]?.streamId;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const streamId = events[Number(lastEventId) - 1]?.streamId ?? '';
      for (const [at, event] of events.entries()) {
        if (at >= Number(lastEventId) && event.streamId === streamId)
          await send(String(at + 1), event.message);
      }
      return streamId;
    },
  };
}
