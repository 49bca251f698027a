/* SPDX-License-Identifier: GPL-2.0 */
/* The interface of 3.10. */
int tracepoint_probe_register(const char *name, void *probe, void *data);
int tracepoint_probe_unregister(const char *name, void *probe, void *data);
void tracepoint_synchronize_unregister(void);
