// SPDX-License-Identifier: Apache-2.0
// Files that several processes open. Collective calls on them are generated: all members come, then the library's. What
// one process reads or writes by itself waits for no other's call, and is the library's alone; where several that were
// begun may not be tested at once, MPI_Waitall waits for one after another.
#include "relay/collectives/together.hpp"

namespace fairlead::relay {

ByHandle<MPI_File, Members> files;

namespace {

int file_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file) {
    const auto open = library<decltype(file_open)>(Function::MPI_File_open);
    if (passes_by() || !has_to_meet(comm)) {
        return made_alone(files, file, open(comm, name, mode, info, file));
    }
    int error = MPI_SUCCESS;
    const auto members = create_with_members(comm, error, [&] { return open(comm, name, mode, info, file); });
    if (members != nullptr) {
        files.put(*file, members);
    }
    return error;
}

int file_close(MPI_File* file) {
    const auto close = library<decltype(file_close)>(Function::MPI_File_close);
    const auto members = plane != nullptr && !is_missing(file) ? files.find(*file) : nullptr;
    if (members == nullptr) {
        return close(file);
    }
    files.remove(*file);                                    // the next one may have its handle
    return together(members, [&] { return close(file); });  // likewise inside another call: windows.cpp
}

template <Function function, class... Arguments>
int begin(Arguments... arguments, MPI_Request* request) {
    const int error = library<int(Arguments..., MPI_Request*)>(function)(arguments..., request);
    if (error == MPI_SUCCESS && !passes_by() && *request != request_null()) {
        plane->locked([&] {
            plane->began_in_turn(*request);
            return 0;
        });
    }
    return error;
}

template <class Count>
struct Begun {
    template <Function function>
    static constexpr auto read = begin<function, MPI_File, void*, Count, MPI_Datatype>;
    template <Function function>
    static constexpr auto read_at = begin<function, MPI_File, MPI_Offset, void*, Count, MPI_Datatype>;
    template <Function function>
    static constexpr auto write = begin<function, MPI_File, const void*, Count, MPI_Datatype>;
    template <Function function>
    static constexpr auto write_at = begin<function, MPI_File, MPI_Offset, const void*, Count, MPI_Datatype>;
};

void put_begun(Table& table) {
    using enum Function;
    using Usual = Begun<int>;
    using Large = Begun<MPI_Count>;
    table.put(MPI_File_iread_all, Usual::read<MPI_File_iread_all>);
    table.put(MPI_File_iread_all_c, Large::read<MPI_File_iread_all_c>);
    table.put(MPI_File_iread_at_all, Usual::read_at<MPI_File_iread_at_all>);
    table.put(MPI_File_iread_at_all_c, Large::read_at<MPI_File_iread_at_all_c>);
    table.put(MPI_File_iwrite_all, Usual::write<MPI_File_iwrite_all>);
    table.put(MPI_File_iwrite_all_c, Large::write<MPI_File_iwrite_all_c>);
    table.put(MPI_File_iwrite_at_all, Usual::write_at<MPI_File_iwrite_at_all>);
    table.put(MPI_File_iwrite_at_all_c, Large::write_at<MPI_File_iwrite_at_all_c>);
    table.put(MPI_File_iread, Usual::read<MPI_File_iread>);
    table.put(MPI_File_iread_c, Large::read<MPI_File_iread_c>);
    table.put(MPI_File_iread_at, Usual::read_at<MPI_File_iread_at>);
    table.put(MPI_File_iread_at_c, Large::read_at<MPI_File_iread_at_c>);
    table.put(MPI_File_iread_shared, Usual::read<MPI_File_iread_shared>);
    table.put(MPI_File_iread_shared_c, Large::read<MPI_File_iread_shared_c>);
    table.put(MPI_File_iwrite, Usual::write<MPI_File_iwrite>);
    table.put(MPI_File_iwrite_c, Large::write<MPI_File_iwrite_c>);
    table.put(MPI_File_iwrite_at, Usual::write_at<MPI_File_iwrite_at>);
    table.put(MPI_File_iwrite_at_c, Large::write_at<MPI_File_iwrite_at_c>);
    table.put(MPI_File_iwrite_shared, Usual::write<MPI_File_iwrite_shared>);
    table.put(MPI_File_iwrite_shared_c, Large::write<MPI_File_iwrite_shared_c>);
}

}  // namespace

void put_files(Table& table) {
    table.put(Function::MPI_File_open, file_open);
    table.put(Function::MPI_File_close, file_close);
    if (kWaitsForFilesInTurn) {
        put_begun(table);
    }
}

}  // namespace fairlead::relay
