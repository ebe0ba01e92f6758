package localapi

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"syscall"
)

// The kernel's interface to its sockets, sock_diag(7).
const (
	sockDiagByFamily = 20
	dumpInterrupted  = 0x10 // NLM_F_DUMP_INTR: the sockets have changed meanwhile
	tcpListen        = 10   // stateListen

	sizeofDiagRequest = 56 // struct inet_diag_req_v2
	sizeofDiagMessage = 72 // struct inet_diag_msg
)

// errDiag reports that the kernel's answer is not a whole list of sockets.
var errDiag = errors.New("sock_diag: the list of sockets is not complete")

// diagListeners returns the TCP sockets of a family, AF_INET or AF_INET6, that listen on a
// port, as the kernel lists them: it passes by those that are connected, which the table of a
// busy computer has many of.
func diagListeners(family uint8, port int) ([]socket, error) {
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, syscall.NETLINK_INET_DIAG)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	defer func() { _ = syscall.Close(fd) }()
	if err := syscall.Sendto(fd, diagRequest(family, port), 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
		return nil, os.NewSyscallError("sendto", err)
	}
	var found []socket
	buffer := make([]byte, os.Getpagesize()*2) // as much as the kernel sends at once
	for {
		// The kernel answers before sendto and recvfrom return, so that nothing is waited for.
		n, from, err := syscall.Recvfrom(fd, buffer, syscall.MSG_DONTWAIT)
		if err != nil {
			return nil, os.NewSyscallError("recvfrom", err)
		}
		if kernel, ok := from.(*syscall.SockaddrNetlink); !ok || kernel.Pid != 0 {
			return nil, errDiag
		}
		messages, err := syscall.ParseNetlinkMessage(buffer[:n])
		if err != nil || len(messages) == 0 {
			return nil, errDiag
		}
		for _, m := range messages {
			switch {
			case m.Header.Type == syscall.NLMSG_DONE:
				return found, nil
			case m.Header.Type != sockDiagByFamily, m.Header.Flags&dumpInterrupted != 0, len(m.Data) < sizeofDiagMessage:
				return nil, errDiag
			}
			found = append(found, diagSocket(m.Data))
		}
	}
}

// diagRequest returns the message that asks for the sockets that listen on a port.
func diagRequest(family uint8, port int) []byte {
	const size = syscall.NLMSG_HDRLEN + sizeofDiagRequest
	out := make([]byte, 0, size)
	out = binary.NativeEndian.AppendUint32(out, size)
	out = binary.NativeEndian.AppendUint16(out, sockDiagByFamily)
	out = binary.NativeEndian.AppendUint16(out, syscall.NLM_F_REQUEST|syscall.NLM_F_DUMP)
	out = append(out, make([]byte, 8)...) // sequence number and port id
	out = append(out, family, syscall.IPPROTO_TCP, 0, 0)
	out = binary.NativeEndian.AppendUint32(out, 1<<tcpListen)
	out = binary.BigEndian.AppendUint16(out, uint16(port))
	return out[:size]
}

// diagSocket reads a struct inet_diag_msg.
func diagSocket(m []byte) socket {
	length := net.IPv4len
	if m[0] == syscall.AF_INET6 {
		length = net.IPv6len
	}
	return socket{
		local: tableAddress(m[8:8+length], int(binary.BigEndian.Uint16(m[4:]))),
		state: stateListen,
		uid:   int(binary.NativeEndian.Uint32(m[64:])),
		inode: uint64(binary.NativeEndian.Uint32(m[68:])),
	}
}
