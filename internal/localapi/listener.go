package localapi

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"
)

// listener is whoever listens where a connection leads.
type listener struct {
	uid int
	// socket is the number of the socket that listens, which no other one has, or 0
	// where the system does not tell which of them has taken the connection.
	socket uint64
}

// Dialer connects to ports of this computer that belong to its user. A port of
// another user is refused before anything is written, where the system tells whose
// a port is: on Linux (LOCAL_API.md 1.2). A connection that is kept alive is not
// looked at again, since the other end of it stays what it is.
type Dialer struct {
	// Timeout limits connecting.
	Timeout time.Duration
	// PortFile is what led to the port. Its owner counts as the user where one of
	// the two is root: root may work for the person in whose home folder it is,
	// and may have forwarded a port for that person.
	PortFile PortFile

	// look replaces listenerOf in tests.
	look func(net.Conn) (listener, bool)
}

// DialContext connects as net.Dialer does.
func (d Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, _, err := d.dial(ctx, network, address)
	return conn, err
}

// dial is DialContext, which also returns who listens there: the zero listener where
// the system does not tell.
func (d Dialer) dial(ctx context.Context, network, address string) (net.Conn, listener, error) {
	conn, err := (&net.Dialer{Timeout: d.Timeout}).DialContext(ctx, network, address)
	if err != nil {
		return nil, listener{}, err
	}
	look := d.look
	if look == nil {
		look = listenerOf
	}
	found, known := look(conn)
	if !known {
		return conn, listener{}, nil
	}
	if !d.permits(os.Geteuid(), found.uid) {
		_ = conn.Close() // nothing was written
		return nil, listener{}, &otherUserError{found.uid}
	}
	return conn, found, nil
}

// permits reports whether a user may send secrets to a port of an owner.
func (d Dialer) permits(user, owner int) bool {
	if user == owner {
		return true
	}
	return (user == 0 || owner == 0) && ownsFile(owner, d.PortFile.Path)
}

// otherUserError is the error of dialling a port of another user.
type otherUserError struct{ uid int }

func (e *otherUserError) Error() string {
	return fmt.Sprintf("the port belongs to the user with the id %d", e.uid)
}
