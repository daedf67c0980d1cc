import { once } from 'node:events';
import { connect } from 'node:net';

/** True if a connection to this port of 127.0.0.1 is refused, for example because the server has ended. */
export async function nothingListens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') return true;
    throw error;
  } finally {
    socket.destroy();
  }
}
