package history

import (
	"fmt"

	"zombiezen.com/go/sqlite"
)

// run executes a statement that returns no rows, or whose rows nobody wants.
func run(conn *sqlite.Conn, query string, args ...any) error {
	return execute(conn, query, args, nil)
}

// rows executes a query, and calls a function for each row.
func rows(conn *sqlite.Conn, query string, args []any, each func(*sqlite.Stmt) error) error {
	return execute(conn, query, args, each)
}

// number returns the first column of a query's only row, 0 where there is none.
func number(conn *sqlite.Conn, query string, args ...any) (n int64, err error) {
	err = execute(conn, query, args, func(row *sqlite.Stmt) error {
		n = row.ColumnInt64(0)
		return nil
	})
	return n, err
}

// text is number for text.
func text(conn *sqlite.Conn, query string, args ...any) (s string, err error) {
	err = execute(conn, query, args, func(row *sqlite.Stmt) error {
		s = row.ColumnText(0)
		return nil
	})
	return s, err
}

// blob is number for bytes; nil where there is no row.
func blob(conn *sqlite.Conn, query string, args ...any) (b []byte, err error) {
	err = execute(conn, query, args, func(row *sqlite.Stmt) error {
		b = column(row, 0)
		return nil
	})
	return b, err
}

// column returns the bytes of a column.
func column(row *sqlite.Stmt, i int) []byte {
	b := make([]byte, row.ColumnLen(i))
	return b[:row.ColumnBytes(i, b)]
}

func execute(conn *sqlite.Conn, query string, args []any, each func(*sqlite.Stmt) error) error {
	statement, err := conn.Prepare(query)
	if err != nil {
		return err
	}
	defer func() {
		_ = statement.Reset() // repeats the error of Step
		_ = statement.ClearBindings()
	}()
	for i, arg := range args {
		bind(statement, i+1, arg)
	}
	for {
		more, err := statement.Step()
		if err != nil || !more {
			return err
		}
		if each != nil {
			if err := each(statement); err != nil {
				return err
			}
		}
	}
}

// bind sets a parameter. Nil, and an empty nullable, are NULL.
func bind(statement *sqlite.Stmt, i int, arg any) {
	switch arg := arg.(type) {
	case nil:
		statement.BindNull(i)
	case int64:
		statement.BindInt64(i, arg)
	case int:
		statement.BindInt64(i, int64(arg))
	case bool:
		statement.BindBool(i, arg)
	case string:
		statement.BindText(i, arg)
	case nullable:
		if arg == "" {
			statement.BindNull(i)
			return
		}
		statement.BindText(i, string(arg))
	case []byte:
		statement.BindBytes(i, arg)
	default:
		panic(fmt.Sprintf("a parameter of type %T", arg))
	}
}

// nullable is a text whose empty value is stored as NULL.
type nullable string
