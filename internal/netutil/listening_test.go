package netutil

import (
	"net"
	"os"
	"testing"
)

func TestOnFindsThisProcess(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if got, ok := ListenerOn(t.Context(), port); !ok || got.PID != os.Getpid() || got.Name == "" {
		t.Errorf("got %v, %t", got, ok)
	}
	_ = listener.Close()
	if got, ok := ListenerOn(t.Context(), port); ok {
		t.Errorf("nobody listens there, got %v", got)
	}
}
