// Shim, 1.1 and 1.2, in place of linkname.s: go1.4 does not know go:linkname, so
// each of our functions without a body jumps into a private one.

TEXT ·applyDefaults(SB),7,$0-0
	JMP k8s·io∕kubernetes∕pkg∕kubelet∕config·applyDefaults(SB)

TEXT ·hashInternalEndpointsObject(SB),7,$0-0
	JMP k8s·io∕kubernetes∕pkg∕api∕endpoints·hashObject(SB)

TEXT ·hashInternalAddresses(SB),7,$0-0
	JMP k8s·io∕kubernetes∕pkg∕api∕endpoints·hashAddresses(SB)
