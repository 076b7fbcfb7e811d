import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Whether a process still listens on this Unix socket. It says who lives, in whichever process namespace: ids of one
 * namespace mean nothing in another.
 */
export function isHeld(path: string): Promise<boolean> {
  const socket = connect(path);
  return once(socket, 'connect').then(
    () => Boolean(socket.destroy()),
    () => false,
  );
}
