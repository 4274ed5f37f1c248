"""The Handle System's own protocol (RFC 3650 to 3652), on TCP and UDP port 2641.

Read the modules in this order:

- `messages` reads and writes integers and strings, and frames requests and answers;
- `values` translates the values of a record, sites among them, to and from the JSON
  that proxies write, so that the rest of the library meets one shape only;
- `transport` carries one message to one server and brings the answer back;
- `resolver` finds the servers that are responsible for a handle and gives outcomes.
"""
