import { contextBridge, ipcRenderer } from 'electron';
import { CONNECT_CHANNEL, PORT_MESSAGE, type WindowBridge } from '../shared/rpc/window-bridge.ts';

ipcRenderer.on(CONNECT_CHANNEL, (event) => {
  window.postMessage({ type: PORT_MESSAGE }, location.origin, event.ports);
});

const bridge: WindowBridge = {
  platform: process.platform,
  connect: () => ipcRenderer.invoke(CONNECT_CHANNEL),
};
contextBridge.exposeInMainWorld('headway', bridge);
